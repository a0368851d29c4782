/**
 * A field's name, with its label and its direction where they say more than the name.
 * @param {{ field: import("../CogLogViewer.jsx").Field }} props
 */
export default function FieldName({ field: { name, label, direction } }) {
  const plain = label.replace(/[^a-z0-9]+/gi, "_").toLowerCase();
  return (
    <>
      <b className="coglog-edit-name">{name}</b>{" "}
      <span className="coglog-edit-soft">
        {[plain === name ? "" : label, direction].filter(Boolean).join(" \u00b7 ")}
      </span>
    </>
  );
}
