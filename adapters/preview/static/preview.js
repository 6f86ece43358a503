// What people do on the page, told to the server by name; keys, focus and scrolling, which cannot wait for it.
const preview = (() => {
  const byId = (id) => document.getElementById(id);
  const on = (name, listener) => document.addEventListener(name, listener);
  const tell = (name, data) => window.emitEvent(`club_${name}`, data);
  const lineOf = (element) => Number(element.closest("[data-line]")?.dataset.line ?? 0);

  // ---- presses: what was pressed is busy until its answer is there ----
  let presses = 0;
  const press = (name, control, data) => {
    if (control.getAttribute("aria-disabled") === "true") return;
    control.setAttribute("aria-disabled", "true");
    control.dataset.key = ++presses;
    tell(name, { line: lineOf(control), key: control.dataset.key, ...data });
  };
  const valuesOf = (form, data = new FormData(form)) =>
    Object.fromEntries([...data.keys()].map((name) => [name, data.getAll(name)]));
  on("click", (event) => {
    const option = event.target.closest("#suggestions > *"), control = event.target.closest("[data-do]");
    if (event.target.id === "news") end();
    if (option) write(option.dataset.lineText);
    if (!control) return;
    event.preventDefault();
    const { do: what, value = "", label = "" } = control.dataset;
    if (what === "fill") write(value);
    else press("do", control, { do: what, value, label });
  });
  on("change", ({ target }) => {
    const form = target.closest("form[data-form]");
    if (target.dataset.change) tell("change", { what: target.dataset.change, value: target.value });
    else if (form) tell("typed", { line: lineOf(form), values: valuesOf(form) });
  });
  on("submit", (event) => {
    event.preventDefault();
    const form = event.target, text = byId("say").value;
    if (form.id !== "composer") press("submit", form.querySelector("[type=submit]"), { values: valuesOf(form) });
    else if (text.trim()) press("say", form, { text });
    close();
  });

  // ---- the box and the list above it ----
  let dismissed = null;  // the text for which the list was closed: a late answer must not open it again
  let hurry = false;  // Tab came before the list did
  const options = () => [...byId("suggestions").children];
  const chosen = () => options().findIndex((option) => option.ariaSelected === "true");
  const open = (isOpen) => {
    byId("suggestions").hidden = !isOpen;
    byId("say").setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) byId("say").removeAttribute("aria-activedescendant");
  };
  const close = () => open(false);
  const choose = (index) => {
    const all = options(), at = (index + all.length) % all.length;
    all.forEach((option, n) => { option.ariaSelected = String(n === at); });
    byId("say").setAttribute("aria-activedescendant", all[at].id);
    all[at].scrollIntoView({ block: "nearest" });
  };
  const typed = () => {
    dismissed = null;
    hurry = false;
    tell("typing", { text: byId("say").value });
  };
  const write = (text) => {
    byId("say").value = text;
    byId("say").focus();
    typed();
  };
  const take = () => {  // false where there is nothing to take: Tab goes on
    const text = byId("say").value, lineText = options()[chosen()]?.dataset.lineText ?? text;
    hurry = text.startsWith("/") && byId("suggestions").dataset.for !== text && dismissed !== text;
    const takes = !hurry && !byId("suggestions").hidden && lineText !== text;
    if (takes) write(lineText);
    return takes || hurry;
  };
  const dismiss = () => { dismissed = byId("say").value; close(); };
  const keys = { ArrowDown: () => choose(chosen() + 1), ArrowUp: () => choose(chosen() - 1), Escape: dismiss };
  on("keydown", (event) => {
    const { key, target, shiftKey, ctrlKey, metaKey, altKey } = event;
    if (target.id === "say") {
      const move = byId("suggestions").hidden ? null : keys[key];
      if (move || (key === "Tab" && !shiftKey && take())) event.preventDefault();
      move?.();
    } else if (key === "/" && !ctrlKey && !metaKey && !altKey && !target.matches("[type=text], textarea, select")) {
      event.preventDefault();
      write(byId("say").value || "/");
    }
  });
  on("input", ({ target }) => { if (target.id === "say") typed(); });

  // ---- the page holds still while something is pressed: what moves away from the pointer loses its click ----
  const waiting = [];
  let isPressed = false;
  const scroll = (move) => { if (isPressed) waiting.push(move); else move(); };
  const release = () => setTimeout(() => {  // after the click, which comes right behind
    isPressed = false;
    waiting.splice(0).forEach((move) => move());
  });
  on("pointerdown", ({ button }) => { isPressed = button === 0; });
  on("pointerup", release);
  on("pointercancel", release);

  // ---- what comes in below while reading further up is announced, never scrolled to ----
  let newest = 0;
  const lines = () => document.querySelectorAll("#stream > article");
  const atEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 120;
  const look = () => {
    const id = Math.max(0, ...[...lines()].map(lineOf));
    if (newest && id > newest && !atEnd()) byId("news").hidden = false;
    newest = id;
  };
  on("scroll", () => { if (atEnd()) byId("news").hidden = true; });
  const end = () => setTimeout(() => scroll(() => {
    byId("news").hidden = true;
    if (lines().length > 2) [...lines()].at(-1).scrollIntoView();
    else scrollTo(0, 0);
  }), 60);

  // ---- focus: a message that is drawn anew gives it back to the same control, else keeps it itself ----
  let focused = [];  // selectors of what had it last
  on("focusin", ({ target }) => {
    const line = lineOf(target), scope = line ? `#m${line} ` : "";
    const { value, label } = target.dataset;
    focused = [
      target.id && `#${CSS.escape(target.id)}`,
      value && `${scope}[data-value="${CSS.escape(value)}"]:enabled`,
      label && `${scope}[data-label="${CSS.escape(label)}"]:enabled`,  // 'Next' of the next page
      target.name && `${scope}[name="${CSS.escape(target.name)}"]`,
      scope,
      line && "#stream > article:last-of-type",
    ].filter(Boolean);
  });
  on("focusout", ({ target }) => setTimeout(() => {
    if (target.isConnected && document.activeElement === document.body) focused = [];  // left on purpose
  }));
  new MutationObserver(() => {
    if (document.activeElement === document.body)
      focused.map((each) => document.querySelector(each)).find(Boolean)?.focus({ preventScroll: true });
    look();
  }).observe(document, { childList: true, subtree: true });

  // ---- what the server asks for ----
  return {
    end,
    opened(language, ...lost) {
      document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
      document.querySelectorAll("#popup > span").forEach((span, n) => { span.textContent = lost[n]; });
      end();
    },
    done(key) { document.querySelector(`[data-key="${key}"]`)?.removeAttribute("aria-disabled"); },
    said() { byId("say").value = ""; close(); },
    suggest(text, html) {
      if (byId("say").value !== text || dismissed === text) return;
      byId("suggestions").innerHTML = html;
      byId("suggestions").dataset.for = text;
      open(html !== "");
      if (html) choose(0);
      if (html && hurry) take();
    },
    show: (line, focus, faults) => Vue.nextTick(() => scroll(() => {
      const element = byId(`m${line}`);
      const fault = faults && element?.querySelector("[aria-invalid=true], .bad input");
      if (!element || fault) return fault?.focus();
      byId("news").hidden = true;
      element.scrollIntoView({ block: element.offsetHeight > innerHeight - 200 ? "start" : "nearest" });
      if (focus) element.focus({ preventScroll: true });
    })),
  };
})();
