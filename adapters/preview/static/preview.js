// What people do on the page, told to the server by name; keys, focus and scrolling, which cannot wait for it.
const preview = (() => {
  const byId = (id) => document.getElementById(id);
  const lineOf = (element) => Number(element.closest("[data-line]")?.dataset.line ?? 0);
  const tell = (name, data) => window.emitEvent(`club_${name}`, data);

  // ---- presses: what was pressed is busy until its answer is there ----
  let presses = 0;
  const press = (name, control, data) => {
    if (control.getAttribute("aria-disabled") === "true") return;
    control.setAttribute("aria-disabled", "true");
    control.dataset.key = ++presses;
    tell(name, { line: lineOf(control), key: control.dataset.key, ...data });
  };
  const valuesOf = (form) => {
    const data = new FormData(form);
    return Object.fromEntries([...data.keys()].map((name) => [name, data.getAll(name)]));
  };
  document.addEventListener("click", (event) => {
    if (event.target.id === "news") return end();
    const option = event.target.closest("#suggestions [role=option]");
    if (option) return write(option.dataset.lineText);
    const control = event.target.closest("[data-do]");
    if (!control) return;
    event.preventDefault();
    const { do: what, value = "", label = "" } = control.dataset;
    if (what === "fill") return write(value);
    control.closest("details.menu")?.removeAttribute("open");
    press("do", control, { do: what, value, label });
  });
  document.addEventListener("change", ({ target }) => {
    const form = target.closest("form[data-form]");
    if (target.dataset.change) tell("change", { what: target.dataset.change, value: target.value });
    else if (form) tell("typed", { line: lineOf(form), values: valuesOf(form) });
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    if (form.id !== "composer") return press("submit", event.submitter, { values: valuesOf(form) });
    if (byId("say").value.trim()) press("say", form, { text: byId("say").value });
    close();
  });

  // ---- the box and the list above it ----
  let dismissed = null;  // the text for which the list was closed: a late answer must not open it again
  let hurry = false;  // Tab came before the list did
  const options = () => [...byId("suggestions").children];
  const chosen = () => options().findIndex((option) => option.ariaSelected === "true");
  const close = () => {
    byId("suggestions").hidden = true;
    byId("say").setAttribute("aria-expanded", "false");
    byId("say").removeAttribute("aria-activedescendant");
  };
  const choose = (index) => {
    const all = options(), at = (index + all.length) % all.length;
    all.forEach((option, n) => { option.ariaSelected = String(n === at); });
    byId("say").setAttribute("aria-activedescendant", all[at].id);
    all[at].scrollIntoView({ block: "nearest" });
  };
  const typed = (text) => {
    dismissed = null;
    hurry = false;
    tell("typing", { text });
  };
  const write = (text) => {
    byId("say").value = text;
    byId("say").focus();
    typed(text);
  };
  const take = () => {
    hurry = byId("suggestions").dataset.for !== byId("say").value;
    const { lineText } = options()[chosen()].dataset;
    if (!hurry && lineText === byId("say").value) return false;  // nothing to take: Tab goes on
    if (!hurry) write(lineText);
  };
  const keys = {
    ArrowDown: () => choose(chosen() + 1),
    ArrowUp: () => choose(chosen() - 1),
    Tab: take,
    Escape: () => { dismissed = byId("say").value; close(); },
  };
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (target.id === "say") {
      const open = !byId("suggestions").hidden && !event.shiftKey;
      if (open && keys[key] && keys[key]() !== false) event.preventDefault();
    } else if (key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey
               && !target.closest("input:not([type=radio], [type=checkbox]), textarea, select")) {
      event.preventDefault();
      write(byId("say").value || "/");
    }
  });
  document.addEventListener("input", ({ target }) => { if (target.id === "say") typed(target.value); });

  // ---- what comes in below while reading further up is announced, never scrolled to ----
  const atEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 120;
  let newest = 0;
  const look = () => {
    const id = Number(document.querySelector("#stream > article:last-of-type")?.dataset.line ?? 0);
    if (newest && id > newest && !atEnd()) byId("news").hidden = false;
    newest = id;
  };
  addEventListener("scroll", () => { if (atEnd() && byId("news")) byId("news").hidden = true; }, { passive: true });
  const end = () => setTimeout(() => {
    byId("news").hidden = true;
    const lines = document.querySelectorAll("#stream > article");
    if (lines.length > 2) lines[lines.length - 1].scrollIntoView({ block: "start", behavior: "instant" });
    else scrollTo({ top: 0, behavior: "instant" });
  }, 60);

  // ---- focus: a message that is drawn anew gives it back to the same control, else keeps it itself ----
  let focused = [];  // selectors of what had it last
  document.addEventListener("focusin", ({ target }) => {
    const line = lineOf(target), scope = line ? `#m${line}` : "";
    const named = ["value", "name"].map((name) => [name, target.dataset[name] ?? target[name]]).filter(([, it]) => it);
    focused = [target.id && `#${CSS.escape(target.id)}`,
      ...named.map(([name, it]) => `${scope} :is([data-${name}="${CSS.escape(it)}"], [${name}="${CSS.escape(it)}"])`),
      scope].filter(Boolean);
  });
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (target.id === "say" && relatedTarget) close();
    setTimeout(() => { if (target.isConnected && document.activeElement === document.body) focused = []; });
  });
  new MutationObserver(() => {
    if (document.activeElement === document.body)
      focused.map((each) => document.querySelector(each)).find(Boolean)?.focus({ preventScroll: true });
    look();
  }).observe(document, { childList: true, subtree: true });

  // ---- what the server asks for ----
  return {
    end,
    opened([language, ...lost]) {
      document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
      document.querySelectorAll("#popup > span").forEach((span, n) => { span.textContent = lost[n]; });
      byId("popup").role = "status";
      end();
    },
    done(key) { document.querySelector(`[data-key="${key}"]`)?.removeAttribute("aria-disabled"); },
    said() { byId("say").value = ""; close(); },
    suggest(text, html) {
      if (byId("say").value !== text || dismissed === text) return;
      const before = options()[chosen()]?.dataset.lineText;
      byId("suggestions").innerHTML = html;
      byId("suggestions").dataset.for = text;
      if (!html) return close();
      byId("suggestions").hidden = false;
      byId("say").setAttribute("aria-expanded", "true");
      choose(Math.max(0, options().findIndex((option) => option.dataset.lineText === before)));
      if (hurry) take();
    },
    show: (line, focus, faults) => Vue.nextTick(() => {
      const element = byId(`m${line}`);
      const fault = faults && element?.querySelector("[aria-invalid=true], .bad input");
      if (!element || fault) return fault?.focus();
      byId("news").hidden = true;
      element.scrollIntoView({ block: element.offsetHeight > innerHeight - 200 ? "start" : "nearest" });
      if (focus) element.focus({ preventScroll: true });
    }),
  };
})();
