// The <queue-lab> element. It loads the simulation once for all elements on a
// page, mounts one instance in each, and keeps the element's own content (a
// sentence and a picture) in view until that worked, and whenever it fails.
//
// The simulation comes in two parts. The first shows the first screen; the rest is
// fetched then, and what people do is held until it has arrived. An element that
// asks for more than two dials is mounted when both are there. `ready` means both.

/** Attributes and link parameters, one to one. A test compares this list with the simulation's own. */
const PARAMETERS = [
  "v", "mv", "scenario", "sh", "view", "do", "p", "c", "workers", "capacity", "overflow", "arrivals",
  "burst", "work",
  "size", "message_bytes", "priority", "groups", "broker", "bytes", "ttl", "retention",
  "visibility", "deliveries", "returns", "order", "priorities", "dlq", "dlq_retention", "prefetch", "fail",
  "poison", "attempts", "timeout", "retry", "backoff", "delay", "delay_max", "ack", "dedupe",
  "drain", "downstream", "downstream_fail", "layers", "tries", "memory", "seed", "restart",
  "cold_start", "cold_calls", "autoscale", "workers_min", "workers_max", "scale_backlog",
  "scale_cpu", "scale_interval", "scale_down", "deadline", "late", "wrong", "batch",
  "batch_cost", "budget", "single_active", "disk", "confirms", "confirm_loss",
  "confirm_timeout", "send_attempts", "unconfirmed", "shed_above", "shed_share", "shape", "path",
  "call_timeout", "t",
  "speed", "play", "theme", "dial_max", "locale", "controls", "lock", "hide", "motion",
  "announce",
  "keys", "hot_key", "partitions", "segment", "assignor", "offset_reset", "rebalance", "blocks",
  "commit_every", "commit_fail", "idempotence", "schema", "schema_check",
  "processing",
];

/** Of those, the ones that the first part alone can show. */
const SIMPLE = new Set(["p", "c", "workers", "capacity", "seed", "speed"]);

/** All events that the simulation listens for. */
const ACTS = ["click", "input", "change", "keydown", "blur", "pointercancel"];

/** Of those, the ones that are kept until it is there whole. */
const KEPT = ["click", "input", "change"];

/** What people read when something fails: what happened, and what helps. */
/** The build fills this from static/locales: for each code of a failure what happened and what helps, and what else the loader says. */
const TEXTS = {};

/** The build fills these from static/styles: the simulation, the box around it, the demonstration page. */
const STYLES = "";
const FRAME_STYLES = "";
const PAGE_STYLES = "";

const GLUE = new URL("./queue-lab.js", import.meta.url).href;
const WASM = new URL("./queue-lab_bg.wasm", import.meta.url).href;
const REST = new URL("./queue-lab_rest.wasm", import.meta.url).href;

class Failure extends Error {
  constructor(code, cause) {
    super(TEXTS[code][0], { cause });
    this.code = code;
    this.help = TEXTS[code][1];
  }
}

/** Whatever else went wrong is a fault, unless the glue says that a file is not its own. */
function asFailure(error) {
  if (error instanceof Failure) return error;
  return new Failure(error.code === "mixed-build" ? error.code : "fault", error);
}

/** A text with its fields filled in. */
function told(text, fields) {
  return text.replace(/{(\w+)}/g, (_, name) => fields[name]);
}

const alike = (parent, kind) => [...parent.children].filter((child) => kindOf(child) === kind);

const kindOf = (element) => `${element.localName} ${element.getAttribute("class")}`;

/** Where an element stands within `root`: step by step what it is, and how many like it stand before it. What else is shown around it changes nothing. */
function placeOf(element, root) {
  const { parentNode } = element;
  return element === root ? [] : [...placeOf(parentNode, root), [kindOf(element), alike(parentNode, kindOf(element)).indexOf(element)]];
}

/** The element that stands there now, if there is one. */
const standing = (place, root) => place.reduce((at, [kind, before]) => at && alike(at, kind)[before], root);

const sheets = new Map();

/** One sheet for each text, shared by all elements; a policy against inline styles allows it. */
function adopt(target, text) {
  const made = sheets.get(text) ?? new CSSStyleSheet();
  if (!sheets.has(text)) made.replaceSync(text);
  sheets.set(text, made);
  if (!target.adoptedStyleSheets.includes(made)) target.adoptedStyleSheets.push(made);
}

let loading;
let restLoading;
let rest; // the compiled rest, once it is there
let lives = 0;

/** The glue and the compiled first part, fetched once for the page: a function that makes an instance of them. A failed load is tried anew. */
function load() {
  return (loading ??= loadOnce().catch((failure) => { loading = undefined; throw failure; }));
}

/** The rest, in the same way. */
function loadRest() {
  return (restLoading ??= compile(REST).then((module) => { rest = module; }).catch((failure) => { restLoading = undefined; throw failure; }));
}

async function loadOnce() {
  if (typeof WebAssembly !== "object") throw new Failure("unsupported");
  const blocked = [];
  const note = (event) => blocked.push(event.blockedURI);
  document.addEventListener("securitypolicyviolation", note);
  try {
    const [glue, module] = await Promise.all([loadGlue(), compile(WASM)]);
    return () => glue.default(module, () => rest);
  } catch (error) {
    // A blocked fetch looks like any other; the violation is reported a task later.
    await new Promise((resolve) => setTimeout(resolve));
    const byPolicy = blocked.some((uri) => uri === "wasm-eval" || [GLUE, WASM, REST].includes(uri));
    throw byPolicy ? new Failure("csp", error) : error;
  } finally {
    document.removeEventListener("securitypolicyviolation", note);
  }
}

async function loadGlue() {
  try {
    return await import(GLUE);
  } catch (error) {
    // The import does not say why it failed. Ask the server, on this path only.
    const response = await fetch(GLUE).catch(() => undefined);
    throw new Failure(response?.ok ? "mime" : "wasm-missing", error);
  }
}

async function compile(address) {
  const response = await fetch(address).catch((error) => {
    throw new Failure(location.protocol === "file:" ? "unsupported" : "wasm-missing", error);
  });
  if (!response.ok) throw new Failure("wasm-missing", new Error(told(TEXTS.status, { address, status: response.status })));
  const type = response.headers.get("content-type")?.split(";")[0].trim() ?? "";
  try {
    if (type === "application/wasm" && WebAssembly.compileStreaming) return await WebAssembly.compileStreaming(response);
    if (type !== "application/wasm") console.warn(told(TEXTS.otherType, { address, type }));
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    const policy = /content security policy|blocked by csp|unsafe-eval/i.test(String(error));
    throw new Failure(policy ? "csp" : "mime", error);
  }
}

class QueueLab extends HTMLElement {
  static observedAttributes = PARAMETERS;

  #box; #slot; #root; #panel; // in the box: the element's own content, the simulation, what a failure shows
  #handle; // the running instance, once it is there whole
  #shown; // and before that: one that nobody holds is freed, which needs the rest
  #held = []; // what was done before that
  #life = 0; // which instance that is, so that news from an old one is ignored
  #settle; // resolves or rejects `ready`

  constructor() {
    super();
    this.#slot = document.createElement("slot");
    this.#box = Object.assign(document.createElement("div"), { className: "box" });
    this.#box.append(this.#slot);
    this.attachShadow({ mode: "open" }).append(this.#box);
    for (const act of ACTS) this.shadowRoot.addEventListener(act, (event) => this.#hold(event), true);
    this.#promise();
  }

  connectedCallback() {
    if (this.#life === 0) this.#start();
  }

  /** Moving an element disconnects and connects it; only one that stays away is destroyed. */
  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#stop();
      this.#life = 0;
      this.#promise();
    });
  }

  attributeChangedCallback(name, before, value) {
    if (before === value) return;
    // A scenario is what the other attributes stand above, so they come with it.
    const query = name === "scenario" ? this.#query() : new URLSearchParams();
    query.set(name, value ?? "");
    this.#call("set", query.toString());
  }

  play() { this.#ask("play"); }
  pause() { this.#ask("pause"); }
  step() { this.#ask("step"); }
  stepInstant() { this.#ask("step_instant"); }
  reset() { this.#ask("reset"); }
  /** Takes `{ p: 8 }` or "p=8&c=6". */
  set(values) { this.#ask("set", new URLSearchParams(values).toString()); }
  snapshot() { return JSON.parse(this.#ask("snapshot") ?? "null"); }
  stateHash() { return this.#ask("state_hash"); }
  link() { return this.#ask("link"); }

  #promise() {
    this.ready = new Promise((resolve, reject) => { this.#settle = { resolve, reject }; });
    this.ready.catch(() => {}); // the panel and the event say it; a page need not listen
  }

  async #start() {
    const life = (this.#life = lives += 1);
    try {
      if (!("adoptedStyleSheets" in Document.prototype)) throw new Failure("unsupported");
      adopt(this.shadowRoot, FRAME_STYLES);
      adopt(this.shadowRoot, STYLES);
      if (this.hasAttribute("from-location")) adopt(document, PAGE_STYLES);
      const whole = this.#isSimple() ? undefined : loadRest();
      whole?.catch(() => {}); // if both fail, the first part says why
      const make = await load();
      await whole;
      if (life === this.#life) await this.#mount(make, life);
    } catch (error) {
      this.#fail(asFailure(error), life);
    }
  }

  /** Every element gets its own memory, so that a fault in one leaves the others running. */
  async #mount(make, life) {
    if (!rest && !this.#isSimple()) await loadRest(); // it got attributes meanwhile
    const wasm = await make();
    if (life !== this.#life) return;
    const query = this.#query().toString();
    const [before, focused] = [this.#root, this.#focused()];
    let shown;
    try {
      shown = this.#show(wasm, query, life);
    } finally {
      before?.remove(); // where it failed too, so that nothing stands beside what says so
    }
    this.#shown = shown;
    await loadRest();
    if (this.#panel) return;
    if (life !== this.#life) return shown?.destroy();
    wasm.complete();
    adopt(this.shadowRoot, wasm.further_styles());
    // What could not be shown without the rest, or has changed since, is shown anew. Until then the old one stays.
    const isWhole = shown && !wasm.missed;
    if (isWhole && query === this.#query().toString()) return this.#begin(shown, focused);
    try {
      await this.#mount(make, life);
    } finally {
      if (isWhole) shown.destroy();
    }
  }

  /** Where the focus is, if it is in what is shown: it is given back where that is shown anew. */
  #focused() {
    const { activeElement } = this.shadowRoot;
    return activeElement && this.#root?.contains(activeElement) ? placeOf(activeElement, this.#root) : undefined;
  }

  /** The first screen; nothing if it needs the rest. */
  #show(wasm, query, life) {
    this.#root = document.createElement("div");
    this.#box.prepend(this.#root);
    const onFault = (message) => this.#fail(new Failure("fault", new Error(message)), life);
    try {
      const handle = wasm.mount(this.#root, query, onFault);
      this.#slot.hidden = life === this.#life && !this.#panel;
      return handle;
    } catch (error) {
      if (rest) throw error;
      this.#root.remove();
    }
  }

  #begin(handle, focused) {
    this.#handle = handle;
    if (focused) standing(focused, this.#root)?.focus({ preventScroll: true });
    for (const again of this.#held.splice(0)) again();
    this.#settle.resolve(this);
    this.dispatchEvent(new CustomEvent("ready"));
    setTimeout(() => this.#call("rehearse"));
  }

  /** What people do before the rest is there reaches the simulation when it is, in the same order. */
  #hold(event) {
    const { target, type } = event;
    if (this.#handle || !this.#root?.contains(target)) return;
    event.stopImmediatePropagation();
    // A list of files opens by itself, and only once.
    if (target.type === "file") return event.preventDefault();
    if (!KEPT.includes(type)) return;
    const { value, checked } = target;
    const place = placeOf(target, this.#root);
    this.#held.push(() => {
      // It may have been shown anew since.
      const now = standing(place, this.#root);
      if (type !== "click" && now) Object.assign(now, now.type === "checkbox" ? { checked } : { value });
      now?.dispatchEvent(new event.constructor(type, event));
    });
  }

  #isSimple() {
    return [...this.#query().keys()].every((name) => SIMPLE.has(name));
  }

  /** Attributes first; the page's own link wins. */
  #query() {
    const query = new URLSearchParams();
    for (const name of PARAMETERS) if (this.hasAttribute(name)) query.set(name, this.getAttribute(name));
    if (this.hasAttribute("from-location")) {
      for (const [name, value] of new URLSearchParams(location.search)) query.set(name, value);
    }
    // A fault on purpose, for tests: no address can ask for one.
    query.delete("fault");
    if (this.dataset.fault) query.set("fault", this.dataset.fault);
    return query;
  }

  #ask(method, ...values) {
    if (!this.#handle) console.warn(told(TEXTS.notRunning, { method }));
    return this.#call(method, ...values);
  }

  #call(method, ...values) {
    const life = this.#life;
    try {
      return this.#handle?.[method](...values);
    } catch (error) {
      this.#fail(asFailure(error), life);
    }
  }

  #stop() {
    this.#call("destroy");
    this.#handle = undefined;
    this.#held = [];
    this.#root?.remove();
    this.#root = undefined;
    this.#panel?.remove();
    this.#panel = undefined;
    this.#slot.hidden = false;
  }

  #fail(failure, life) {
    if (life !== this.#life || this.#panel) return;
    this.#handle = undefined; // a faulty instance is never called again
    this.#stop();
    this.#panel = this.#describe(failure);
    this.#box.prepend(this.#panel);
    this.#settle.reject(failure);
    const { code, message, help } = failure;
    this.dispatchEvent(new CustomEvent("error", { detail: { code, message, help } }));
  }

  #describe({ code, message, help, cause }) {
    const line = (name, text) => Object.assign(document.createElement(name), { textContent: text });
    const panel = document.createElement("div");
    panel.className = "failure";
    panel.setAttribute("role", "status");
    panel.append(line("p", message), line("p", help));
    if (code === "fault") panel.append(this.#restart(TEXTS.startAgain));
    if (code === "wasm-missing") panel.append(this.#restart(TEXTS.tryAgain));
    if (cause) panel.append(line("small", told(TEXTS.detail, { detail: cause.message ?? cause })));
    return panel;
  }

  #restart(textContent) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent });
    button.addEventListener("click", () => { this.#stop(); this.#promise(); this.#start(); });
    return button;
  }
}

if (!customElements.get("queue-lab")) customElements.define("queue-lab", QueueLab);
