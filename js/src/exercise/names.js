/** How choices and axes are named. */

/** The choice of a statement that belongs to no axis. */
export const NONE = "none";

/** @param {string} name */
const spelledOut = (name) => name.replace(/[^a-z0-9]+/gi, " ").toLowerCase();

/** Whether a label says more than the name: "Theory of mind" doesn't. @param {{ name: string, label: string }} field */
export const saysMore = ({ name, label }) => spelledOut(label) !== spelledOut(name);

/**
 * The name of a choice in a sentence, with its label where that says more.
 * @param {string} choice
 * @param {import("../CogLogViewer.jsx").Field[]} fields
 * @param {import("./Exercise.jsx").Say} say
 */
export function nameOf(choice, fields, say) {
  if (choice === NONE) return say("none.label");
  const label = fields.find(({ name }) => name === choice)?.label ?? choice;
  return saysMore({ name: choice, label }) ? `${choice} (${label})` : choice;
}
