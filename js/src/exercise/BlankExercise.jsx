import { useState } from "react";

import AxisInput from "./AxisInput.jsx";
import Comparison from "./Comparison.jsx";
import Facts from "./Facts.jsx";
import FocusedHeading from "./FocusedHeading.jsx";
import Heading from "./Heading.jsx";
import { OWN_KEYS } from "./own-keys.js";

/**
 * An exercise in which the axes of a turn are written, and then compared with worked answers.
 * @param {Required<Pick<import("./Exercise.jsx").ExerciseProps, "exercise" | "fields" | "axes" | "compared">>
 *   & Pick<import("./Exercise.jsx").ExerciseProps, "onAxes" | "onCompare" | "onAgain" | "onCopy">
 *   & { say: import("./Exercise.jsx").Say, language: string }} props
 */
export default function BlankExercise({
  exercise,
  fields,
  axes,
  compared,
  say,
  language,
  onAxes,
  onCompare,
  onAgain,
  onCopy,
}) {
  const facts = exercise.facts ?? {};
  const axisFields = fields.filter(({ layer }) => layer === "interpretation");
  const [copyMessage, setCopyMessage] = useState("");
  const [asked, setAsked] = useState(false);

  const copy = async () => {
    const turn = { ...facts };
    for (const { name } of axisFields) turn[name] = axes[name] ?? "";
    try {
      await onCopy?.(`%%coglog write\n${JSON.stringify(turn, null, 2)}`);
      setCopyMessage(say("copied"));
    } catch {
      setCopyMessage(say("copied.not"));
    }
  };

  /** @param {string} name @param {string} text @param {boolean} done */
  const take = (name, text, done) => {
    if (text !== (axes[name] ?? "") || done) onAxes?.({ ...axes, [name]: text }, done);
  };

  return (
    <>
      <Facts
        title={say("facts")}
        lines={Object.entries(facts).map(([speaker, text]) => ({ speaker, text }))}
        language={language}
      />
      <Heading title={say("blank.axes")} level={4} />
      <p className="coglog-practice-task" style={{ marginBottom: 10 }}>
        {say("blank.task")}
      </p>
      <div className="coglog-practice-axes">
        {axisFields.map((field) => (
          <AxisInput
            key={field.name}
            field={field}
            text={axes[field.name] ?? ""}
            say={say}
            onText={(text, done) => take(field.name, text, done)}
          />
        ))}
      </div>
      <div className="coglog-practice-row coglog-practice-act" {...OWN_KEYS}>
        <button
          type="button"
          className={compared ? undefined : "coglog-practice-main"}
          aria-expanded={compared}
          onClick={() => {
            setAsked(true);
            onCompare?.(!compared);
          }}
        >
          {say(compared ? "compare.hide" : "compare")}
        </button>
        {onCopy ? (
          <button type="button" onClick={copy} onBlur={() => setCopyMessage("")}>
            {say("copy")}
          </button>
        ) : null}
        <span role="status">{copyMessage}</span>
      </div>
      {compared ? (
        <>
          <FocusedHeading title={say("compare.title")} takesFocus={asked} />
          <p className="coglog-practice-task" style={{ marginBottom: 10 }}>
            {say("compare.hint")}
          </p>
          {axisFields.map(({ name }) => (
            <Comparison
              key={name}
              name={name}
              own={axes[name] ?? ""}
              answers={exercise.answers ?? []}
              say={say}
              language={language}
            />
          ))}
          {onCopy ? <p className="coglog-practice-soft">{say("copy.says")}</p> : null}
          <div className="coglog-practice-row coglog-practice-act" {...OWN_KEYS}>
            <button type="button" onClick={onAgain}>
              {say("again")}
            </button>
          </div>
        </>
      ) : null}
    </>
  );
}
