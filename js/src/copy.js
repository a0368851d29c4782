/**
 * Puts a text on the clipboard, exactly as it is.
 * @param {Document} page
 * @param {string} text
 * @returns {Promise<void>} rejects if the page may not write there
 */
export async function copyText(page, text) {
  try {
    // A page that isn't served securely has no clipboard, and a frame may not have the permission.
    await page.defaultView?.navigator.clipboard.writeText(text);
  } catch (refused) {
    // The older way, without the usual hidden text area, which would take the focus out of the card.
    /** @param {ClipboardEvent} event */
    const fill = (event) => {
      event.clipboardData?.setData("text/plain", text);
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    page.addEventListener("copy", fill, { capture: true, once: true });
    const done = page.execCommand("copy");
    page.removeEventListener("copy", fill, { capture: true });
    if (!done) throw refused;
  }
}
