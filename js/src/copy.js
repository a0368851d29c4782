/**
 * Lays a text on the clipboard, exactly as it is.
 * @param {Document} page
 * @param {string} text
 * @returns {Promise<void>} rejects where the page may not write there
 */
export async function copyText(page, text) {
  try {
    // Missing where the page isn't served securely, refused in a frame that wasn't given the permission.
    await page.defaultView?.navigator.clipboard.writeText(text);
  } catch (refused) {
    // The older way, without the usual hidden text area: that would take the focus out of the card.
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
