/**
 * The static card in the output before a live one, for when no widget runs (coglog_nb/notebook/display.py).
 * Its style element hides it by `:has()` rules, which the browser checks again with every change of the page: a hundred of
 * them bring it to a stop. So a live card hides its static card itself and takes the rules out.
 * @param {Element} el where the live card is
 * @returns {() => void} puts the card and its rules back, for when the live card goes
 */
export function hideStaticFallback(el) {
  const row = /** @type {HTMLElement | null | undefined} */ (
    el.closest(".jp-OutputArea-child")?.previousElementSibling
  );
  // The class's name is in saved notebooks.
  const style = row?.querySelector(":scope > .jp-OutputArea-output > .coglog-twin > style");
  if (!row || !style) return () => {};
  const fallback = style.parentNode;
  style.remove();
  row.style.display = "none";
  return () => {
    fallback?.prepend(style);
    row.style.display = "";
  };
}
