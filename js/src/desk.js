/**
 * What all views of one editor share: the seven texts, what of them the kernel doesn't have yet, and what was said last.
 *
 * The texts here are the truth, and not the widget's: a text that is being typed is newer than whatever comes from the
 * kernel. They go there a moment after they were typed. Nothing here touches the page.
 */

/**
 * @typedef {{ [name: string]: string }} Texts
 * @typedef {{ key: string, values?: { [name: string]: string | number }, lines?: string[], tone?: "good" | "bad" }} Said
 *
 * @typedef {{
 *   save(texts: Texts): void,
 *   send(message: { [key: string]: unknown }): void,
 * }} Wire how a view reaches the kernel; either may throw where there is none
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
 * }} Start `given` fields are not to be edited, `hidden` ones not to be seen; `base` is what Revert goes back to
 */

const SAVE_AFTER = 400;
const BUSY_AFTER = 1_500;

const LONE_HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** How many characters a text has, as Python counts them. @param {string} text */
export function lengthOf(text) {
  return text.length - (text.match(PAIR)?.length ?? 0);
}

/** Where a text holds half a pair, as Python counts positions; -1 where it is whole. @param {string} text */
export function brokenAt(text) {
  const place = text.search(LONE_HALF);
  return place < 0 ? -1 : lengthOf(text.slice(0, place));
}

export class Desk {
  /** @param {Start} start */
  constructor({
    names,
    facts,
    given,
    hidden = [],
    texts,
    base,
    // Called by itself: a browser's own refuses to be a method of anything else.
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
    /** @type {Set<string>} what the kernel doesn't have yet */
    this.unsaved = new Set();
    /** @type {Set<string>} fields that were left once: from then on they say what they lack */
    this.visited = new Set();
    /** @type {{ id: string, kind: string, texts: Texts } | null} */
    this.asked = null;
    /** @type {Said | null} */
    this.said = null;
    /** @type {{ turn_id: number, texts: Texts } | null} what was written last */
    this.written = null;
    /** @type {Texts | null} what a revert took away */
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
    // What two pages ask one kernel is told apart by it.
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

  /** Whether there is text that neither the start nor a written turn has. */
  get isDirty() {
    return this.editable.some((name) => this.texts[name] !== this.base[name]);
  }

  /** Whether all of it is what was written last. */
  get isWritten() {
    const { written } = this;
    return written !== null && this.editable.every((name) => this.texts[name] === written.texts[name]);
  }

  /** The facts that lack a text. */
  get lacking() {
    return this.editable.filter((name) => this.facts.includes(name) && !this.texts[name]);
  }

  /** The fields that hold half a pair. */
  get broken() {
    return this.editable.filter((name) => brokenAt(this.texts[name]) >= 0);
  }

  // ---- texts

  /** Somebody typed. @param {string} name @param {string} text */
  edit(name, text) {
    if (this.texts[name] === text) return;
    this.texts = { ...this.texts, [name]: text };
    this.unsaved.add(name);
    this.aside = null;
    if (!this.asked && !this.lost) this.said = null;
    this.saveSoon();
    this.changed();
  }

  /** The kernel has another text: another page of it, or the start. @param {string} name @param {string} text */
  take(name, text) {
    if (this.unsaved.has(name) || this.given.includes(name) || this.texts[name] === text) return;
    this.texts = { ...this.texts, [name]: text };
    this.changed();
  }

  /** @param {string} name */
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

  /** Puts in what another form left; what was here before can be brought back. @param {Texts} texts */
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

  /** Empties the fields for the turn after the one that was written. */
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

  /** Gives the kernel what it doesn't have. */
  save() {
    this.cancel(this.saving);
    this.saving = undefined;
    // What no file can hold doesn't travel either.
    const whole = [...this.unsaved].filter((name) => brokenAt(this.texts[name]) < 0);
    if (!whole.length || this.lost) return;
    for (const name of whole) this.unsaved.delete(name);
    const texts = Object.fromEntries(whole.map((name) => [name, this.texts[name]]));
    if (!this.reach((wire) => wire.save(texts))) for (const name of whole) this.unsaved.add(name);
  }

  /** Gives the kernel all of it at once, past whatever waits: the page is about to go. */
  keep() {
    const texts = Object.fromEntries(
      this.editable.filter((name) => brokenAt(this.texts[name]) < 0).map((name) => [name, this.texts[name]]),
    );
    // Even to a kernel that seems to be gone: one that is only busy finds it when it comes to it.
    if (this.isDirty) this.reach((wire) => wire.send({ kind: "keep", texts }));
  }

  /** @param {(wire: Wire) => void} use @returns {boolean} whether the message went out */
  reach(use) {
    const wire = this.wires.at(-1);
    if (!wire) return false;
    try {
      use(wire);
      return true;
    } catch (error) {
      console.warn(error);
      this.lose();
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
      this.lose();
    }
  }

  /** Writes the turn, unless something is missing. @returns {string} the first field that is wrong, if one is */
  write() {
    if (this.asked) return "";
    const { broken, lacking } = this;
    const wrong = this.names.find((name) => broken.includes(name) || lacking.includes(name));
    if (wrong) {
      for (const name of lacking) this.visited.add(name);
      const [key, names] = lacking.length ? ["incomplete", lacking] : ["unreadable", broken];
      this.say({ key, values: { names: names.join(", ") }, tone: "bad" });
      return wrong;
    }
    if (this.isWritten && this.written) {
      this.say({ key: "unchanged", values: { turn: this.written.turn_id } });
      return "";
    }
    if (this.lost) {
      this.lose();
      return "";
    }
    this.save();
    const texts = Object.fromEntries(this.editable.map((name) => [name, this.texts[name]]));
    this.ask("write", { key: "writing" }, { texts });
    return "";
  }

  /** Asks for the annotation of the turn that is stored. */
  start() {
    if (this.lost) this.lose();
    else this.ask("start", { key: "asking" });
  }

  /**
   * What the kernel answers.
   * @param {{ kind: string, id: string, turn_id?: number, text?: string, problems?: string[] }} answer
   */
  hear({ kind, id, turn_id: turn = 0, text = "", problems = [] }) {
    if (kind === "here") this.find();
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

  /** The kernel is gone. */
  lose() {
    this.lost = true;
    this.asked = null;
    this.cancel(this.patience);
    this.say({ key: "lost", tone: "bad" });
  }

  /** The kernel may be gone: unless it answers, it is. */
  doubt() {
    this.lose();
    try {
      this.wires.at(-1)?.send({ kind: "hello" });
    } catch {
      // It is.
    }
  }

  /** The kernel is there again. */
  find() {
    if (!this.lost) return;
    this.lost = false;
    this.said = null;
    for (const name of this.editable) if (this.texts[name] !== this.base[name]) this.unsaved.add(name);
    this.save();
    this.changed();
  }

  /** The turn as a cell that writes it: JSON, which holds any text exactly. */
  asCell() {
    // A given text that is kept out of outputs isn't here; the cell will ask for it.
    const names = this.names.filter((name) => !(this.given.includes(name) && this.hidden.includes(name)));
    const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, this.texts[name]])), null, 1);
    return `%%coglog write\n${body}\n`;
  }
}
