import { useState } from "react";

import Facts from "./Facts.jsx";
import { fitOf } from "./fit.js";
import Heading from "./Heading.jsx";
import PlaceResult from "./PlaceResult.jsx";
import PlaceStatement from "./PlaceStatement.jsx";
import PlaceSteps from "./PlaceSteps.jsx";

/**
 * An exercise in which statements about a dialogue are placed on the axes, one after the other.
 * @param {Required<Pick<import("./Exercise.jsx").ExerciseProps, "exercise" | "fields" | "answers">>
 *   & Pick<import("./Exercise.jsx").ExerciseProps, "onAnswers" | "onAgain">
 *   & { say: import("./Exercise.jsx").Say, language: string }} props
 */
export default function PlaceExercise({ exercise, fields, answers, say, language, onAnswers, onAgain }) {
  const statements = exercise.statements ?? [];
  const total = statements.length;
  const fits = statements.map((statement, number) => {
    const answer = answers[number]?.at(-1);
    return answer ? fitOf(statement, answer) : "";
  });
  const done = fits.filter(Boolean).length;
  const firstOpen = fits.indexOf("");

  // `moved` is false until the reader takes a step: only then may the focus go along.
  const [step, setStep] = useState({ at: firstOpen < 0 ? total : firstOpen, moved: false });
  const { at, moved } = step;
  const atResult = at >= total && done === total;
  const current = Math.min(at, total - 1);
  const go = (/** @type {number} */ number) => setStep({ at: number, moved: true });

  /** @param {string} choice */
  const choose = (choice) => {
    const before = answers[current] ?? [];
    if (before.at(-1) === choice) return;
    onAnswers?.({ ...answers, [current]: before.length ? [before[0], choice] : [choice] });
  };

  // After the last statement comes the first one that isn't placed yet.
  const next = current + 1 < total ? current + 1 : firstOpen < 0 ? total : firstOpen;

  return (
    <>
      <Facts title={say("dialogue")} lines={exercise.dialogue ?? []} language={language} />
      <Heading title={say("place.question")} level={4} />
      <p className="coglog-practice-task">{say("place.task")}</p>
      <PlaceSteps fits={fits} current={atResult ? -1 : current} say={say} onGo={go} />
      {atResult ? (
        <PlaceResult
          statements={statements}
          answers={answers}
          fits={fits}
          fields={fields}
          say={say}
          language={language}
          takesFocus={moved}
          onGo={go}
          onAgain={() => {
            onAgain?.();
            go(0);
          }}
        />
      ) : (
        <PlaceStatement
          statements={statements}
          current={current}
          chosen={answers[current]?.at(-1)}
          done={done}
          next={next}
          fields={fields}
          say={say}
          language={language}
          takesFocus={moved}
          onChoose={choose}
          onGo={go}
        />
      )}
    </>
  );
}
