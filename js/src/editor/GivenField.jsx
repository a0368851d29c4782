import { lengthOf } from "./draft-store.js";
import FieldName from "./FieldName.jsx";
import { countOf, fill, spelled } from "./words.js";

// As much of a text as the card shows before the reader opens it.
const MOST = 20_000;

/**
 * A fact that came with the form and can't be edited.
 * @param {{
 *   field: import("../CogLogViewer.jsx").Field,
 *   text: string,
 *   words: import("./words.js").Words,
 *   isHidden: boolean,
 * }} props
 */
export default function GivenField({ field, text, words, isHidden }) {
  const length = lengthOf(text);
  return (
    <div
      className="coglog-edit-field coglog-edit-fact"
      data-field={field.name}
      role="group"
      aria-label={field.name}
    >
      <div className="coglog-edit-called">
        <FieldName field={field} /> <span className="coglog-edit-soft">({words.given})</span>
      </div>
      {isHidden ? (
        <p className="coglog-edit-asks">{words.hidden}</p>
      ) : (
        <pre className="coglog-edit-given" dir="auto" tabIndex={0} role="group" aria-label={field.name}>
          {text.slice(0, MOST)}
        </pre>
      )}
      {isHidden ? null : (
        <div className="coglog-edit-foot">
          {text.length > MOST ? (
            <span>{fill(words["shown.part"], { shown: spelled(MOST), total: spelled(length) })}</span>
          ) : null}
          <span className="coglog-edit-count">{countOf(words, length)}</span>
        </div>
      )}
    </div>
  );
}
