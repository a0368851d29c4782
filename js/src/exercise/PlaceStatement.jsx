import { useId } from "react";

import Choices from "./Choices.jsx";
import { OWN_KEYS } from "./own-keys.js";
import Verdict from "./Verdict.jsx";

/**
 * One statement with its choices and the verdict on the chosen one.
 * @param {{
 *   statements: import("./Exercise.jsx").Statement[],
 *   current: number,
 *   chosen: string | undefined,
 *   done: number,
 *   next: number,
 *   fields: import("../CogLogViewer.jsx").Field[],
 *   say: import("./Exercise.jsx").Say,
 *   language: string,
 *   takesFocus: boolean,
 *   onChoose: (choice: string) => void,
 *   onGo: (number: number) => void,
 * }} props `done` statements are placed. `next` is the statement to go on with; the number of statements stands for none
 */
export default function PlaceStatement({
  statements,
  current,
  chosen,
  done,
  next,
  fields,
  say,
  language,
  takesFocus,
  onChoose,
  onGo,
}) {
  const heading = useId();
  const text = useId();
  const total = statements.length;
  const statement = statements[current];
  const isLast = current === total - 1;
  const endsHere = done === total && isLast;
  return (
    <div role="group" aria-labelledby={heading}>
      <div className="coglog-practice-row">
        <b id={heading} role="heading" aria-level={4}>
          {say("statement", { number: current + 1, total })}
        </b>
        <span className="coglog-practice-soft">{say("progress", { done, total })}</span>
      </div>
      <div id={text} className="coglog-practice-statement coglog-practice-text" lang={language} dir="auto">
        {statement.text}
      </div>
      <Choices
        key={current}
        fields={fields}
        say={say}
        chosen={chosen}
        labelledBy={text}
        takesFocus={takesFocus}
        onChoose={onChoose}
      />
      <div className="coglog-practice-said" role="status">
        {chosen ? (
          <div className="coglog-practice-verdict">
            <Verdict statement={statement} choice={chosen} fields={fields} say={say} language={language} />
          </div>
        ) : null}
      </div>
      <div className="coglog-practice-row coglog-practice-act" {...OWN_KEYS}>
        {current > 0 ? (
          <button type="button" onClick={() => onGo(current - 1)}>
            {say("previous")}
          </button>
        ) : null}
        {next < total || done === total ? (
          <button
            type="button"
            className={chosen ? "coglog-practice-main" : undefined}
            onClick={() => onGo(endsHere ? total : next)}
          >
            {say(endsHere ? "result.show" : "next")}
          </button>
        ) : null}
        {done === total && !isLast ? (
          <button type="button" onClick={() => onGo(total)}>
            {say("result.show")}
          </button>
        ) : null}
      </div>
    </div>
  );
}
