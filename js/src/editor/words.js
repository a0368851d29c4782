/** How the form's words, which come from Python in the form's language, become texts. */

/** @typedef {{ [key: string]: string }} Words */

/** Fills the holes of a template, `{name}`. @param {string} template @param {{ [name: string]: string | number }} [values] */
export const fill = (template, values = {}) =>
  template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

/** A number with its thousands set apart. @param {number} count */
export const spelled = (count) => count.toLocaleString("en");

/** "1 character", "2 characters". @param {Words} words @param {number} count */
export const countOf = (words, count) =>
  count === 1 ? words["count.one"] : fill(words.count, { count: spelled(count) });
