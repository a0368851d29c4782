/**
 * A card's own module. anywidget sends it with every card, so it only fetches the viewer's code from the one library
 * widget of the kernel (card.js): twenty cards in a notebook hold the viewer once.
 */
export default {
  /**
   * @param {import("./mount-widget.js").Place & {
   *   model: import("./mount-widget.js").Model,
   *   host: { getWidget(ref: string): Promise<{ exports: any }> },
   * }} view
   */
  async render({ model, el, signal, host }) {
    try {
      const library = await host.getWidget(model.get("library"));
      return library.exports.mount({ model, el, signal });
    } catch (error) {
      el.classList.add("coglog-error");
      el.textContent = `CogLog couldn't show the card: ${error}`;
    }
  },
};
