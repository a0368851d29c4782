import { useId } from "react";

import FieldInput from "./FieldInput.jsx";
import GivenField from "./GivenField.jsx";

/**
 * The fields of one layer under their heading.
 * @param {{
 *   title: string,
 *   rule: string,
 *   fields: import("../CogLogViewer.jsx").Field[],
 *   store: import("./draft-store.js").DraftStore,
 *   words: import("./words.js").Words,
 *   children?: import("react").ReactNode,
 * }} props `children` stand between the rule and the fields
 */
export default function FieldGroup({ title, rule, fields, store, words, children }) {
  const heading = useId();
  return (
    <div role="group" aria-labelledby={heading}>
      <div className="coglog-edit-layer" id={heading} role="heading" aria-level={4}>
        {title}
      </div>
      <p className="coglog-edit-rule">{rule}</p>
      {children}
      {fields.map((field) =>
        store.given.includes(field.name) ? (
          <GivenField
            key={field.name}
            field={field}
            text={store.texts[field.name]}
            words={words}
            isHidden={store.hidden.includes(field.name)}
          />
        ) : (
          <FieldInput key={field.name} field={field} store={store} words={words} />
        ),
      )}
    </div>
  );
}
