/*
 * An exercise in the four axes, in the card's style: statements to place, or a turn whose axes the learner writes.
 *
 * It decides from the exercise's data how an answer fits, and reports every answer. All words come in as props: the words
 * around the exercise in the language that was asked for, and the exercise's own in the language it is written in.
 */
import { useTheme } from "../theme.js";
import BlankExercise from "./BlankExercise.jsx";
import CSS from "./Exercise.css";
import PlaceExercise from "./PlaceExercise.jsx";
import ThemeSwitch from "./ThemeSwitch.jsx";

/**
 * @typedef {{ speaker: string, text: string }} Line
 * @typedef {{ text: string, best: string, second?: string[], reasons: { [choice: string]: string } }} Statement
 * @typedef {{ title: string, axes: { [axis: string]: { text: string, why: string } } }} Worked
 * @typedef {{
 *   kind: "place" | "blank",
 *   title: string,
 *   use: string,
 *   language?: string,
 *   dialogue?: Line[],
 *   statements?: Statement[],
 *   facts?: { [name: string]: string },
 *   answers?: Worked[],
 * }} ExerciseData what an exercise's file holds
 *
 * @typedef {(key: string, values?: { [name: string]: string | number }) => string} Say gives the words of a key
 *
 * @typedef {{
 *   exercise: ExerciseData,
 *   fields: import("../CogLogViewer.jsx").Field[],
 *   words: { [key: string]: string },
 *   lang?: string,
 *   answers?: { [number: string]: string[] },
 *   axes?: { [axis: string]: string },
 *   compared?: boolean,
 *   run?: number,
 *   kept?: string,
 *   late?: boolean,
 *   theme?: import("../theme.js").Theme,
 *   pageTheme?: "light" | "dark" | null,
 *   onAnswers?: (answers: { [number: string]: string[] }) => void,
 *   onAxes?: (axes: { [axis: string]: string }, done: boolean) => void,
 *   onCompare?: (compared: boolean) => void,
 *   onAgain?: () => void,
 *   onCopy?: (text: string) => unknown,
 * }} ExerciseProps `answers` holds the first and the last choice for a statement's number. `done` tells `onAxes` that the
 *   reader has left the text area. `run` counts the restarts. `kept` says where the answers are kept. `late` means that the
 *   kernel hasn't confirmed the last answer
 */

/** @param {ExerciseProps} props */
export default function Exercise({
  exercise,
  fields,
  words,
  lang = "en",
  answers = {},
  axes = {},
  compared = false,
  run = 0,
  kept = "",
  late = false,
  theme = "system",
  pageTheme = null,
  onAnswers,
  onAxes,
  onCompare,
  onAgain,
  onCopy,
}) {
  const { choice, shown, choose } = useTheme(theme, pageTheme);
  const language = exercise.language ?? "en";

  /** @type {Say} */
  const say = (key, values = {}) => (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => `${values[name]}`);

  return (
    <div
      className="coglog-practice coglog-theme"
      data-theme={shown}
      role="article"
      aria-label={exercise.title}
      lang={lang}
    >
      <style>{CSS}</style>
      <div className="coglog-practice-bar">
        <b className="coglog-practice-brand">CogLog</b>{" "}
        <span className="coglog-practice-soft">{say("brand")}</span>{" "}
        <span className="coglog-practice-use" lang={language}>
          {exercise.use}
        </span>
        <ThemeSwitch choice={choice} say={say} onChoose={choose} />
      </div>
      <div className="coglog-practice-title" role="heading" aria-level={3} lang={language}>
        {exercise.title}
      </div>
      {exercise.kind === "place" ? (
        <PlaceExercise
          exercise={exercise}
          fields={fields}
          answers={answers}
          say={say}
          language={language}
          onAnswers={onAnswers}
          onAgain={onAgain}
        />
      ) : (
        <BlankExercise
          key={run}
          exercise={exercise}
          fields={fields}
          axes={axes}
          compared={compared}
          say={say}
          language={language}
          onAxes={onAxes}
          onCompare={onCompare}
          onAgain={onAgain}
          onCopy={onCopy}
        />
      )}
      <p className="coglog-practice-kept coglog-practice-late" role="status">
        {late ? say("late") : ""}
      </p>
      {kept && !late ? <p className="coglog-practice-kept">{kept}</p> : null}
    </div>
  );
}
