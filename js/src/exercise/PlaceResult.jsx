import { fitOf } from "./fit.js";
import FocusedHeading from "./FocusedHeading.jsx";
import { OWN_KEYS } from "./own-keys.js";
import Verdict from "./Verdict.jsx";

/**
 * The result for all statements.
 * @param {{
 *   statements: import("./Exercise.jsx").Statement[],
 *   answers: { [number: string]: string[] },
 *   fits: (import("./fit.js").Fit | "")[],
 *   fields: import("../CogLogViewer.jsx").Field[],
 *   say: import("./Exercise.jsx").Say,
 *   language: string,
 *   takesFocus: boolean,
 *   onGo: (number: number) => void,
 *   onAgain: () => void,
 * }} props
 */
export default function PlaceResult({
  statements,
  answers,
  fits,
  fields,
  say,
  language,
  takesFocus,
  onGo,
  onAgain,
}) {
  const count = (/** @type {string} */ fit) => fits.filter((each) => each === fit).length;
  const bestAtFirst = statements.filter((each, number) => fitOf(each, answers[number][0]) === "best").length;
  return (
    <div {...OWN_KEYS}>
      <FocusedHeading title={say("result")} takesFocus={takesFocus} />
      <p>
        <b>{say("result.counts", { best: count("best"), second: count("second"), other: count("other") })}</b>
      </p>
      <p>{say("result.first", { first: bestAtFirst, total: statements.length })}</p>
      <ol className="coglog-practice-results">
        {statements.map((each, number) => (
          <li key={number} data-part={each.best}>
            <p className="coglog-practice-text" lang={language} dir="auto">
              <b>{`${number + 1}. ${each.text}`}</b>
            </p>
            <Verdict
              statement={each}
              choice={/** @type {string} */ (answers[number].at(-1))}
              fields={fields}
              say={say}
              language={language}
              inResult
            />
            <button
              type="button"
              className="coglog-practice-plain"
              aria-label={`${say("look")} (${number + 1})`}
              onClick={() => onGo(number)}
            >
              {say("look")}
            </button>
          </li>
        ))}
      </ol>
      <div className="coglog-practice-row coglog-practice-act">
        <button type="button" onClick={onAgain}>
          {say("again")}
        </button>
      </div>
    </div>
  );
}
