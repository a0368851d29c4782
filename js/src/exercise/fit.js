/** How a choice fits a statement. */

/** @typedef {"best" | "second" | "other"} Fit */

/**
 * @param {import("./Exercise.jsx").Statement} statement
 * @param {string} choice
 * @returns {Fit}
 */
export function fitOf(statement, choice) {
  if (choice === statement.best) return "best";
  return statement.second?.includes(choice) ? "second" : "other";
}

/** The sign beside the word. @type {{ [fit in Fit]: string }} */
export const SIGNS = { best: "\u2713", second: "\u2248", other: "\u2192" };
