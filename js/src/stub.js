/**
 * A card's own module. anywidget sends it with every card, so it only fetches what the library widget of the kernel
 * holds: twenty cards in a notebook bring the viewer once.
 */
export default {
  /**
   * @param {import("./card.js").View & {
   *   host: { getWidget(ref: string): Promise<{ exports: any }> },
   * }} view
   */
  async render({ model, el, signal, host }) {
    try {
      const library = await host.getWidget(model.get("library"));
      return library.exports.mount({ model, el, signal });
    } catch (error) {
      el.classList.add("coglog-error");
      el.textContent = `CogLog: no card: ${error}`;
    }
  },
};
