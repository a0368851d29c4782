/**
 * @param {{ does: string, words: import("./words.js").Words, onClick: () => void, isMain?: boolean }} props `does` is the key
 *   of the button's word
 */
export default function ActionButton({ does, words, onClick, isMain = false }) {
  return (
    <button
      type="button"
      className={`coglog-edit-button${isMain ? " coglog-edit-main" : ""}`}
      data-does={does}
      onClick={onClick}
    >
      {words[does]}
    </button>
  );
}
