/**
 * Tells when a page is about to be printed, and when it has been. A media query tells it too, but in Chromium only after
 * the printed page was laid out.
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
