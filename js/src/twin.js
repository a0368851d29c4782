/**
 * The static card that stands in the output before a live one, for when no widget runs (coglog_nb/notebook/display.py).
 * Its style element hides it by `:has()` rules, which the browser looks at again with every change of the page: some
 * hundred of them bring it to a stop. A live card that finds its twin hides it by itself and takes the rules out.
 * @param {Element} el where the live card is
 * @returns {() => void} puts both back: the live card is gone
 */
export function replaceTwin(el) {
  const row = /** @type {HTMLElement | null | undefined} */ (
    el.closest(".jp-OutputArea-child")?.previousElementSibling
  );
  const style = row?.querySelector(":scope > .jp-OutputArea-output > .coglog-twin > style");
  if (!row || !style) return () => {};
  const twin = style.parentNode;
  style.remove();
  row.style.display = "none";
  return () => {
    twin?.prepend(style);
    row.style.display = "";
  };
}
