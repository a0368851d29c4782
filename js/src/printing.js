/**
 * Calls back with true when a page is about to be printed, and with false afterwards. A media query would do, but Chromium
 * reports it only after it has laid out the printed page.
 * @param {Document} page
 * @param {(printing: boolean) => void} changed
 * @returns {() => void} stops watching
 */
export function watchPrinting(page, changed) {
  const view = page.defaultView;
  const tell = (/** @type {Event} */ { type }) => changed(type === "beforeprint");
  const events = ["beforeprint", "afterprint"];
  for (const event of events) view?.addEventListener(event, tell);
  return () => {
    for (const event of events) view?.removeEventListener(event, tell);
  };
}
