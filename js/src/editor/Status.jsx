import { fill } from "./words.js";

/**
 * The message about the form's last action, which screen readers announce.
 * @param {{ said: import("./draft-store.js").Said | null, words: import("./words.js").Words }} props
 */
export default function Status({ said, words }) {
  return (
    <div
      className={`coglog-edit-status${said?.tone ? ` coglog-edit-${said.tone}` : ""}`}
      role="status"
      data-said={said?.key ?? ""}
    >
      {said ? fill(words[`said.${said.key}`], said.values) : ""}
      {said?.lines?.length ? (
        <ul>
          {said.lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
