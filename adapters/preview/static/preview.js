// What people do on the page, told to the server by name; keys and focus, which cannot wait for it.
// Everything is decided on the server: here are only presses, typing, the list above the box, scrolling and focus.
const preview = (() => {
  const byId = (id) => document.getElementById(id);
  const tell = (name, data) => window.emitEvent(name, data);
  let presses = 0;
  let focused = null;  // where the focus was last, to find it again in a message drawn anew

  const lineOf = (element) => Number(element.closest("[data-line]")?.dataset.line ?? 0);
  const busy = (element) => {
    const key = String(++presses);
    element.setAttribute("aria-disabled", "true");
    element.dataset.key = key;
    return key;
  };
  const valuesOf = (form) => {
    const values = {};
    for (const [name, value] of new FormData(form)) (values[name] ??= []).push(value);
    return values;
  };

  // ---- the box and the list above it ----
  let dismissed = null;  // the text for which the list was closed: a late answer must not open it again
  let listed = "";  // the text the list was made for
  let hurry = false;  // Tab came before the list did
  const options = () => [...byId("suggestions").children];
  const close = () => {
    byId("suggestions").hidden = true;
    byId("say").setAttribute("aria-expanded", "false");
    byId("say").removeAttribute("aria-activedescendant");
  };
  const choose = (index) => {
    const all = options();
    const at = (index + all.length) % all.length;
    all.forEach((option, n) => option.setAttribute("aria-selected", String(n === at)));
    byId("say").setAttribute("aria-activedescendant", all[at].id);
    all[at].scrollIntoView({ block: "nearest" });
  };
  const chosen = () => options().findIndex((option) => option.getAttribute("aria-selected") === "true");
  const write = (text) => {
    const say = byId("say");
    dismissed = null;
    say.value = text;
    say.focus();
    say.setSelectionRange(text.length, text.length);
    tell("club_typing", { text });
  };
  const keys = {
    ArrowDown: () => choose(chosen() + 1),
    ArrowUp: () => choose(chosen() - 1),
    Tab: () => {
      hurry = listed !== byId("say").value;
      if (!hurry) write(options()[chosen()].dataset.lineText);
    },
    Escape: () => { dismissed = byId("say").value; close(); },
  };

  document.addEventListener("keydown", (event) => {
    if (event.target.id === "say") {
      if (keys[event.key] && !byId("suggestions").hidden && !event.shiftKey) {
        event.preventDefault();
        keys[event.key]();
      }
    } else if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey
               && !event.target.closest("input:not([type=radio], [type=checkbox]), textarea, select")) {
      event.preventDefault();
      write(byId("say").value || "/");
    } else if (event.key === "Escape") {
      document.querySelectorAll("details.pop[open]").forEach((pop) => { pop.open = false; });
    }
  });
  let waiting = 0;
  document.addEventListener("input", (event) => {
    if (event.target.id !== "say") return;
    dismissed = null;
    hurry = false;
    clearTimeout(waiting);
    waiting = setTimeout(() => tell("club_typing", { text: event.target.value }), 40);
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    if (form.id === "composer") {
      const text = byId("say").value;
      if (!text.trim() || form.hasAttribute("aria-disabled")) return;
      clearTimeout(waiting);
      close();
      tell("club_say", { text, key: busy(form) });
    } else if (form.dataset.form !== undefined) {
      const button = form.querySelector("[type=submit]");
      if (button.getAttribute("aria-disabled") === "true") return;
      tell("club_submit", { line: lineOf(form), values: valuesOf(form), key: busy(button) });
    }
  });

  // ---- presses ----
  document.addEventListener("click", (event) => {
    if (event.target.id === "news") return end();
    const option = event.target.closest("#suggestions [role=option]");
    if (option) return write(option.dataset.lineText);
    document.querySelectorAll("details.pop[open], details.menu[open]").forEach((pop) => {
      if (!pop.contains(event.target)) pop.open = false;
    });
    const control = event.target.closest("[data-do]");
    if (!control) return;
    event.preventDefault();
    if (control.getAttribute("aria-disabled") === "true") return;
    const { do: what, value = "", label = "" } = control.dataset;
    const command = what === "fill" ? value : value.startsWith("fill:") ? value.slice(5) : null;
    if (command !== null) return write(command);
    const pop = control.closest("details.pop, details.menu");
    if (pop) pop.open = false;
    tell("club_do", { do: what, value, label, line: lineOf(control), key: busy(control) });
  });
  document.addEventListener("change", (event) => {
    const { target } = event;
    const form = target.closest("form[data-form]");
    if (target.dataset.change) tell("club_change", { what: target.dataset.change, value: target.value });
    else if (form) tell("club_typed", { line: lineOf(form), values: valuesOf(form) });
  });

  // ---- what came in below while reading further up is announced, never scrolled to ----
  const atEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 120;
  let newest = 0;
  const look = () => {
    const lines = document.querySelectorAll("#stream > article");
    const id = lines.length ? lineOf(lines[lines.length - 1]) : 0;
    if (newest && id > newest && !atEnd()) byId("news").hidden = false;
    newest = id;
  };
  addEventListener("scroll", () => { if (atEnd() && byId("news")) byId("news").hidden = true; }, { passive: true });

  // ---- focus: a message that is drawn anew gives it back to the same control ----
  document.addEventListener("focusin", ({ target }) => {
    focused = { id: target.id, line: lineOf(target), value: target.dataset.value, name: target.name };
  });
  document.addEventListener("focusout", ({ target }) => setTimeout(() => {
    if (target.isConnected && document.activeElement === document.body) focused = null;  // left on purpose
  }));
  const again = () => {
    if (!focused || (document.activeElement && document.activeElement !== document.body)) return;
    const { id, line, value, name } = focused;
    const scope = line ? byId(`m${line}`) : document;
    const same = (id && byId(id)) || (value && scope?.querySelector(`[data-value="${CSS.escape(value)}"]`))
      || (name && line && scope?.querySelector(`[name="${CSS.escape(name)}"]`)) || (line && scope);
    if (same instanceof HTMLElement) same.focus({ preventScroll: true });
  };
  new MutationObserver(() => { again(); look(); }).observe(document, { childList: true, subtree: true });

  const when = (id, then, tries = 40) => {
    const element = byId(id);
    if (element?.firstElementChild) then(element);
    else if (tries) setTimeout(() => when(id, then, tries - 1), 25);
  };
  const calm = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");
  const end = () => {
    byId("news").hidden = true;
    const lines = document.querySelectorAll("#stream > article");
    if (lines.length > 2) lines[lines.length - 1].scrollIntoView({ block: "start" });
    else scrollTo(0, 0);
  };

  return {
    opened(language) {
      document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
      setTimeout(end, 60);
    },
    end: () => setTimeout(end, 60),
    done(key) {
      document.querySelectorAll(`[data-key="${key}"]`).forEach((element) => element.removeAttribute("aria-disabled"));
    },
    said() { byId("say").value = ""; close(); },
    suggest(text, html) {
      const say = byId("say");
      if (say.value !== text || dismissed === text) return;
      const before = options()[chosen()]?.dataset.lineText;
      listed = text;
      byId("suggestions").innerHTML = html;
      if (!html) return close();
      byId("suggestions").hidden = false;
      byId("suggestions").dataset.for = text;
      say.setAttribute("aria-expanded", "true");
      choose(Math.max(0, options().findIndex((option) => option.dataset.lineText === before)));
      if (hurry) keys.Tab();
    },
    show(line, focus, faults) {
      when(`m${line}`, (element) => {
        const fault = faults && element.querySelector("[aria-invalid=true], .bad input");
        if (fault) return fault.focus();
        byId("news").hidden = true;
        const room = innerHeight - 200;
        element.scrollIntoView({ block: element.offsetHeight > room ? "start" : "nearest", behavior: calm() });
        if (focus) element.focus({ preventScroll: true });
      });
    },
  };
})();
