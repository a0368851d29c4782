/**
 * What all views of one editor share: the seven texts, which of them the kernel doesn't have yet, and the last message.
 *
 * The texts here count, not the widget's: a text that is being typed is newer than anything the kernel sends. The kernel
 * gets a text a moment after it was typed. Nothing here touches the page.
 */

/**
 * @typedef {{ [name: string]: string }} Texts
 * @typedef {{ key: string, values?: { [name: string]: string | number }, lines?: string[], tone?: "good" | "bad" }} Said
 *
 * @typedef {{
 *   save(texts: Texts): void,
 *   send(message: { [key: string]: unknown }): void,
 * }} Wire how a view reaches the kernel; both throw where there is no kernel
 *
 * @typedef {{
 *   names: string[],
 *   facts: string[],
 *   given: string[],
 *   hidden?: string[],
 *   texts: Texts,
 *   base: Texts,
 *   wait?: (ring: () => void, milliseconds: number) => unknown,
 *   cancel?: (timer: any) => void,
 * }} Start the form can't edit `given` fields and doesn't show `hidden` ones; `base` holds the texts that Revert restores
 */

const SAVE_AFTER = 400;
const BUSY_AFTER = 1_500;

const LONE_HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Counts characters as Python does. @param {string} text */
export function lengthOf(text) {
  return text.length - (text.match(PAIR)?.length ?? 0);
}

/** The position, as Python counts, of the first unpaired half of a surrogate pair; -1 if there is none. @param {string} text */
export function brokenAt(text) {
  const place = text.search(LONE_HALF);
  return place < 0 ? -1 : lengthOf(text.slice(0, place));
}

export class DraftStore {
  /** @param {Start} start */
  constructor({
    names,
    facts,
    given,
    hidden = [],
    texts,
    base,
    // Wrapped, because a browser's setTimeout can't be called as a method of another object.
    wait = (ring, milliseconds) => setTimeout(ring, milliseconds),
    cancel = (timer) => clearTimeout(timer),
  }) {
    this.names = names;
    this.facts = facts;
    this.given = given;
    this.hidden = hidden;
    this.editable = names.filter((name) => !given.includes(name));
    this.texts = { ...texts };
    this.base = { ...base };
    this.version = 0;
    /** @type {Set<string>} the fields whose text the kernel doesn't have yet */
    this.unsaved = new Set();
    /** @type {Set<string>} the fields that had the focus once: they say if their text is missing */
    this.visited = new Set();
    /** @type {{ id: string, kind: string, texts: Texts } | null} the question that the kernel hasn't answered yet */
    this.asked = null;
    /** @type {Said | null} */
    this.said = null;
    /** @type {{ turn_id: number, texts: Texts } | null} the turn that was written last */
    this.written = null;
    /** @type {Texts | null} the texts that Restore brings back */
    this.aside = null;
    this.lost = false;
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    /** @type {Wire[]} */
    this.wires = [];
    this.wait = wait;
    this.cancel = cancel;
    this.count = 0;
    /** @type {unknown} */
    this.saving = undefined;
    /** @type {unknown} */
    this.patience = undefined;
    // Tells the questions of two pages of one kernel apart.
    this.own = Math.random().toString(36).slice(2);
  }

  /** @param {() => void} listener */
  listen(listener) {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  changed() {
    this.version += 1;
    for (const listener of [...this.listeners]) listener();
  }

  /** @param {Said | null} said */
  say(said) {
    this.said = said;
    this.changed();
  }

  /** Whether a text differs from `base`. */
  get isDirty() {
    return this.editable.some((name) => this.texts[name] !== this.base[name]);
  }

  /** Whether all texts are those of the turn that was written last. */
  get isWritten() {
    const { written } = this;
    return written !== null && this.editable.every((name) => this.texts[name] === written.texts[name]);
  }

  /** The facts without a text. */
  get missing() {
    return this.editable.filter((name) => this.facts.includes(name) && !this.texts[name]);
  }

  /** The fields with half a surrogate pair, which no file can hold. */
  get broken() {
    return this.editable.filter((name) => brokenAt(this.texts[name]) >= 0);
  }

  // ---- texts

  /** Takes what was typed. @param {string} name @param {string} text */
  edit(name, text) {
    if (this.texts[name] === text) return;
    this.texts = { ...this.texts, [name]: text };
    this.unsaved.add(name);
    this.aside = null;
    if (!this.asked && !this.lost) this.said = null;
    this.saveSoon();
    this.changed();
  }

  /** Takes a text from the kernel, which has it from another page or from Python. @param {string} name @param {string} text */
  take(name, text) {
    if (this.unsaved.has(name) || this.given.includes(name) || this.texts[name] === text) return;
    this.texts = { ...this.texts, [name]: text };
    this.changed();
  }

  /** A field lost the focus. @param {string} name */
  leave(name) {
    this.visited.add(name);
    this.save();
    this.changed();
  }

  /** Puts other texts into the fields. @param {Texts} texts */
  put(texts) {
    for (const name of this.editable)
      if (name in texts && this.texts[name] !== texts[name]) {
        this.texts = { ...this.texts, [name]: texts[name] };
        this.unsaved.add(name);
      }
    this.save();
  }

  revert() {
    const before = { ...this.texts };
    this.put(this.base);
    this.aside = before;
    this.visited.clear();
    this.say({ key: "reverted" });
  }

  /** Takes over another form's draft; Restore brings back what was here. @param {Texts} texts */
  swap(texts) {
    const before = this.isDirty && !this.isWritten ? { ...this.texts } : null;
    this.put(texts);
    this.aside = before;
  }

  restore() {
    if (!this.aside) return;
    this.put(this.aside);
    this.aside = null;
    this.say({ key: "restored" });
  }

  /** Empties the fields for the next turn. */
  next() {
    this.base = Object.fromEntries(
      this.names.map((name) => [name, this.given.includes(name) ? this.texts[name] : ""]),
    );
    this.put(this.base);
    this.visited.clear();
    this.aside = null;
    this.tell({ kind: "next" });
    this.say({ key: "next" });
  }

  // ---- the kernel

  saveSoon() {
    this.saving ??= this.wait(() => this.save(), SAVE_AFTER);
  }

  /** Sends the kernel the texts that it doesn't have. */
  save() {
    this.cancel(this.saving);
    this.saving = undefined;
    // A text with half a surrogate pair can't be sent.
    const whole = [...this.unsaved].filter((name) => brokenAt(this.texts[name]) < 0);
    if (!whole.length || this.lost) return;
    for (const name of whole) this.unsaved.delete(name);
    const texts = Object.fromEntries(whole.map((name) => [name, this.texts[name]]));
    if (!this.reach((wire) => wire.save(texts))) for (const name of whole) this.unsaved.add(name);
  }

  /** Sends the kernel all texts at once, ahead of what waits: the page is about to close. */
  keep() {
    const texts = Object.fromEntries(
      this.editable.filter((name) => brokenAt(this.texts[name]) < 0).map((name) => [name, this.texts[name]]),
    );
    // Even if the kernel seems to be gone: if it is only busy, it reads the message later.
    if (this.isDirty) this.reach((wire) => wire.send({ kind: "keep", texts }));
  }

  /** @param {(wire: Wire) => void} use @returns {boolean} whether it was sent */
  reach(use) {
    const wire = this.wires.at(-1);
    if (!wire) return false;
    try {
      use(wire);
      return true;
    } catch (error) {
      console.warn(error);
      this.loseKernel();
      return false;
    }
  }

  /** @param {{ [key: string]: unknown }} message */
  tell(message) {
    return !this.lost && this.reach((wire) => wire.send(message));
  }

  /** @param {string} kind @param {Said} said @param {{ [key: string]: unknown }} [more] */
  ask(kind, said, more = {}) {
    if (this.asked) return;
    this.count += 1;
    const id = `${this.own}-${this.count}`;
    this.asked = { id, kind, texts: { ...this.texts } };
    this.say(said);
    this.patience = this.wait(() => {
      if (this.asked?.id === id) this.say({ key: "busy" });
    }, BUSY_AFTER);
    if (!this.tell({ kind, id, ...more })) {
      this.asked = null;
      this.loseKernel();
    }
  }

  /** Writes the turn, unless a field is wrong. @returns {string} the first field that is wrong, or "" */
  write() {
    if (this.asked) return "";
    const { broken, missing } = this;
    const wrong = this.names.find((name) => broken.includes(name) || missing.includes(name));
    if (wrong) {
      for (const name of missing) this.visited.add(name);
      const [key, names] = missing.length ? ["incomplete", missing] : ["unreadable", broken];
      this.say({ key, values: { names: names.join(", ") }, tone: "bad" });
      return wrong;
    }
    if (this.isWritten && this.written) {
      this.say({ key: "unchanged", values: { turn: this.written.turn_id } });
      return "";
    }
    if (this.lost) {
      this.loseKernel();
      return "";
    }
    this.save();
    const texts = Object.fromEntries(this.editable.map((name) => [name, this.texts[name]]));
    this.ask("write", { key: "writing" }, { texts });
    return "";
  }

  /** Asks for the annotation of the stored turn. */
  start() {
    if (this.lost) this.loseKernel();
    else this.ask("start", { key: "asking" });
  }

  /**
   * Takes an answer of the kernel.
   * @param {{ kind: string, id: string, turn_id?: number, text?: string, problems?: string[] }} answer
   */
  onMessage({ kind, id, turn_id: turn = 0, text = "", problems = [] }) {
    if (kind === "here") this.findKernel();
    if (!this.asked || this.asked.id !== id) return;
    const { texts } = this.asked;
    this.asked = null;
    this.cancel(this.patience);
    if (kind === "wrote") {
      this.written = { turn_id: turn, texts };
      this.base = { ...texts };
      this.aside = null;
      this.visited.clear();
      const key = problems.length ? "artifact" : "written";
      this.say({ key, values: { turn }, lines: problems, tone: problems.length ? "bad" : "good" });
    } else if (kind === "start") {
      if (text) {
        const { current_focus: now } = this.texts;
        this.put({ current_focus: now && now !== text ? `${text}\n${now}` : text });
        this.say({ key: "started", values: { turn } });
      } else this.say(turn ? { key: "silent", values: { turn } } : { key: "nothing" });
    } else this.say({ key: kind === "unread" ? "unread" : "refused", lines: problems, tone: "bad" });
  }

  /** Notes that there is no kernel. */
  loseKernel() {
    this.lost = true;
    this.asked = null;
    this.cancel(this.patience);
    this.say({ key: "lost", tone: "bad" });
  }

  /** Asks the kernel whether it is still there, and takes it for lost until it answers. */
  checkKernel() {
    this.loseKernel();
    try {
      this.wires.at(-1)?.send({ kind: "hello" });
    } catch {
      // It is lost.
    }
  }

  /** Notes that the kernel is there again. */
  findKernel() {
    if (!this.lost) return;
    this.lost = false;
    this.said = null;
    for (const name of this.editable) if (this.texts[name] !== this.base[name]) this.unsaved.add(name);
    this.save();
    this.changed();
  }

  /** A cell that writes the turn, as JSON, which holds any text exactly. */
  asCell() {
    // The page doesn't have a given text that is hidden; the cell says that it is missing.
    const names = this.names.filter((name) => !(this.given.includes(name) && this.hidden.includes(name)));
    const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, this.texts[name]])), null, 1);
    return `%%coglog write\n${body}\n`;
  }
}
