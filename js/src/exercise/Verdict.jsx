import { SIGNS, fitOf } from "./fit.js";
import { nameOf } from "./names.js";

/**
 * How a choice fits its statement, and why.
 * @param {{
 *   statement: import("./Exercise.jsx").Statement,
 *   choice: string,
 *   fields: import("../CogLogViewer.jsx").Field[],
 *   say: import("./Exercise.jsx").Say,
 *   language: string,
 *   inResult?: boolean,
 * }} props the result names the best choice whatever was chosen; before that, a wrong choice gets a hint to try again
 */
export default function Verdict({ statement, choice, fields, say, language, inResult = false }) {
  const fit = fitOf(statement, choice);
  const namesBest = fit === "second" || (inResult && fit === "other");
  return (
    <>
      <p>
        <span className="coglog-practice-fit">
          <span aria-hidden="true">{`${SIGNS[fit]} `}</span>
          {say(`fit.${fit}`)}
        </span>
        {" \u00b7 "}
        <span>{nameOf(choice, fields, say)}</span>
      </p>
      <p lang={language} dir="auto">
        {statement.reasons[choice]}
      </p>
      {namesBest ? (
        <p>
          <b>{say("fit.second.then", { choice: nameOf(statement.best, fields, say) })}</b>{" "}
          <span lang={language}>{statement.reasons[statement.best]}</span>
        </p>
      ) : null}
      {fit === "other" && !inResult ? <p className="coglog-practice-soft">{say("fit.other.then")}</p> : null}
    </>
  );
}
