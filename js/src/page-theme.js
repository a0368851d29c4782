/**
 * Which theme the page around a card uses. A notebook's theme is its own setting, so the operating system's preference
 * is asked (by the viewer) only where the page says nothing.
 */

/** What notebooks and documentation themes write on html and body; a change of anything else is none of our business. */
const ATTRIBUTES = ["class", "data-jp-theme-light", "data-theme", "data-vscode-theme-kind", "theme"];

/** @typedef {"light" | "dark" | null} PageTheme */

/**
 * @param {Document} page
 * @returns {PageTheme}
 */
export function pageTheme(page) {
  const { body, documentElement: html } = page;
  // JupyterLab and Notebook 7 write "true" or "false".
  const lab = body?.getAttribute("data-jp-theme-light");
  if (lab) return lab === "false" ? "dark" : "light";
  // VS Code: vscode-light, vscode-dark, vscode-high-contrast (which is dark), vscode-high-contrast-light.
  const code = body?.getAttribute("data-vscode-theme-kind");
  if (code) return code.endsWith("light") ? "light" : "dark";
  // marimo and others write data-theme or a class, Colab writes theme; the body stands closer to the card than html.
  for (const element of [body, html]) {
    const words = [
      element?.getAttribute("data-theme"),
      element?.getAttribute("theme"),
      ...(element?.classList ?? []),
    ];
    if (words.includes("dark")) return "dark";
    if (words.includes("light")) return "light";
  }
  return null;
}

/**
 * Calls back whenever the page's theme becomes another one.
 * @param {Document} page
 * @param {(theme: PageTheme) => void} changed
 * @returns {() => void} stops watching
 */
export function watchPageTheme(page, changed) {
  let known = pageTheme(page);
  const observer = new MutationObserver(() => {
    const now = pageTheme(page);
    if (now !== known) changed((known = now));
  });
  for (const element of [page.documentElement, page.body])
    if (element) observer.observe(element, { attributes: true, attributeFilter: ATTRIBUTES });
  return () => observer.disconnect();
}
