/**
 * The drafts that a page holds: the texts that were typed into a form and not written. The form's kernel, and the form
 * with it, may be gone by now. Each widget has a module of its own, so the drafts are kept at the page's window.
 */

/**
 * @typedef {import("./draft-store.js").Texts} Texts
 *
 * @typedef {{
 *   key: string,
 *   cell: Element | null,
 *   texts: Texts,
 *   isLive: () => boolean,
 * }} PageDraft `key` stands for the window and the facts that the form was opened with, `cell` is the notebook's cell that
 *   holds the form, and `isLive` says whether the form can still be written in
 */

/**
 * All drafts of a page, by the token of their form.
 * @param {Window} window
 * @returns {Map<string, PageDraft>}
 */
export function draftsOf(window) {
  const key = Symbol.for("coglog.drafts");
  const holder = /** @type {any} */ (window);
  return (holder[key] ??= new Map());
}

/**
 * The draft to offer in a form: the latest one for the same window and facts, or from the same cell, whose window or facts
 * may differ from run to run. A form that can still be written in keeps its draft.
 * @param {Map<string, PageDraft>} drafts
 * @param {{ token: string, key: string, cell: Element | null }} form
 * @returns {{ token: string, texts: Texts } | null}
 */
export function abandonedDraft(drafts, { token, key, cell }) {
  const found = [...drafts]
    .filter(([other, draft]) => other !== token && !draft.isLive())
    .filter(([, draft]) => draft.key === key || (cell !== null && draft.cell === cell))
    .at(-1);
  return found ? { token: found[0], texts: found[1].texts } : null;
}
