/**
 * Which theme the page around a card uses. A notebook's theme is a setting of its own, so the viewer follows the operating
 * system's preference only if the page says nothing.
 */

/** The attributes of html and body in which notebooks and documentation themes name their theme. */
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
  // marimo and others write data-theme or a class, Colab writes theme; body is closer to the card than html.
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
 * Calls back whenever the page's theme changes.
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
