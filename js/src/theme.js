/**
 * The switch between the themes, for the form and the exercise. The viewer is shipped as one file, so it has a copy of
 * all that follows the imports; a test compares the two.
 */
import { useState, useSyncExternalStore } from "react";

/** @typedef {import("./CogLogViewer.jsx").Theme} Theme */

/** @type {Theme[]} */
export const THEMES = ["light", "system", "dark"];

const darkQuery = () =>
  typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;

const systemIsDark = () => darkQuery()?.matches ?? false;

/** @param {() => void} changed */
function watchSystem(changed) {
  const query = darkQuery();
  query?.addEventListener?.("change", changed);
  return () => query?.removeEventListener?.("change", changed);
}

/** @param {unknown} theme */
const knownTheme = (theme) => THEMES.find((known) => known === theme) ?? "system";

/**
 * `choice` is the theme that was chosen last, `shown` the one to draw, and `choose` what a click on the switch calls.
 * @param {Theme} theme from outside
 * @param {"light" | "dark" | null} pageTheme what "system" means on this page; null: what the operating system prefers
 */
export function useTheme(theme, pageTheme) {
  const systemDark = useSyncExternalStore(watchSystem, systemIsDark, () => false);
  // A new `theme` from outside wins over the clicks before it, and a later click wins over that.
  const [last, setLast] = useState({ theme, choice: knownTheme(theme) });
  if (last.theme !== theme) setLast({ theme, choice: knownTheme(theme) });
  const { choice } = last;
  const shown = choice === "system" ? (pageTheme ?? (systemDark ? "dark" : "light")) : choice;
  const choose = (/** @type {Theme} */ next) => setLast({ theme, choice: next });
  return { choice, shown, choose };
}
