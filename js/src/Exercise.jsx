/*
 * An exercise in the four axes: statements to be placed, or a turn whose axes are to be written. It has the card's look.
 *
 * It decides by itself how an answer fits, from the exercise's data, and tells its surroundings of every answer. All
 * words come in as props: those around the exercise in the language that was asked for, its own in whatever it is written.
 */
import { useId, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

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
 * @typedef {import("./CogLogViewer.jsx").Field} Field
 * @typedef {import("./CogLogViewer.jsx").Theme} Theme
 * @typedef {(key: string, values?: { [name: string]: string | number }) => string} Say
 *
 * @typedef {{
 *   exercise: ExerciseData,
 *   fields: Field[],
 *   words: { [key: string]: string },
 *   lang?: string,
 *   answers?: { [number: string]: string[] },
 *   axes?: { [axis: string]: string },
 *   compared?: boolean,
 *   run?: number,
 *   kept?: string,
 *   late?: boolean,
 *   theme?: Theme,
 *   pageTheme?: "light" | "dark" | null,
 *   onAnswers?: (answers: { [number: string]: string[] }) => void,
 *   onAxes?: (axes: { [axis: string]: string }, done: boolean) => void,
 *   onCompare?: (compared: boolean) => void,
 *   onAgain?: () => void,
 *   onCopy?: (text: string) => unknown,
 * }} ExerciseProps `answers` holds for a statement's number what was chosen first and what was chosen last; `onAxes` is
 *   told whether whoever writes has come to a rest; `run` counts how often it was started again; `late` says that
 *   nobody has heard the last answer yet
 */

/** @type {Theme[]} */
const THEMES = ["light", "system", "dark"];
const NONE = "none";

// The card's; see there.
/** @type {{ [name: string]: string }} */
const ACCENTS = {
  user: "#c17d11",
  thinking: "#87882b",
  assistant: "#bd5d36",
  current_focus: "#c17d11",
  theory_of_mind: "#13918a",
  self_narrative: "#9b6bc9",
  annotation: "#4f963f",
};

/** How an answer fits, as a sign beside the word. @type {{ [fit: string]: string }} */
const SIGNS = { best: "\u2713", second: "\u2248", other: "\u2192" };

// JupyterLab takes keys for its own, even from a button in an output, unless it finds this around it. Not around the text
// areas: those it leaves alone, but for what is meant for it, such as saving.
const OWN_KEYS = { "data-lm-suppress-shortcuts": "true" };

// A `~` stands for what every rule of a part begins with, a `^` for the part of another within it.
const CSS = `
.coglog-practice{--ground:#fbf5ea;--panel:#fffcf6;--ink:#2e261d;--soft:#695b49;--edge:#8c7d69;--focus:#8a4b08;color-scheme:light}
@media not print{.coglog-practice[data-theme=dark]{--ground:#1e1a16;--panel:#27221d;--ink:#f0e8db;--soft:#b9ab98;--edge:#8a7c6a;--focus:#f0b35b;color-scheme:dark}}
${Object.entries(ACCENTS)
  .map(([name, color]) => `.coglog-practice [data-part=${name}]{--accent:${color}}`)
  .join("\n")}
.coglog-practice,.coglog-practice *{box-sizing:border-box}
.coglog-practice{--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;margin:2px 0;padding:clamp(12px,2%,18px);max-width:1120px;border:1px solid transparent;border-radius:12px;background:var(--ground);color:var(--ink);font:14px/1.55 system-ui,-apple-system,Segoe UI,Roboto,Noto Sans,sans-serif;text-align:start;overflow-wrap:anywhere}
.coglog-practice p,.coglog-practice ol{margin:0;padding:0;list-style:none}
.coglog-practice button{appearance:none;margin:0;font:inherit;color:inherit;cursor:pointer;box-shadow:none}
.coglog-practice :is(button,textarea,[tabindex]):focus-visible{outline:2px solid var(--focus);outline-offset:1px}
~bar,~row{display:flex;flex-wrap:wrap;align-items:center;gap:6px 8px}
~brand{font-weight:700;letter-spacing:.01em}
~soft{color:var(--soft);font-size:13px}
~use{padding:1px 9px;border:1px solid var(--edge);border-radius:12px;font-size:12px}
~themes{display:inline-flex;margin-inline-start:auto;padding:2px;border:1px solid var(--edge);border-radius:999px}
~themes button{padding:2px 8px;min-height:24px;min-width:24px;border:0;border-radius:999px;background:none;color:var(--soft);font-size:12px;line-height:20px}
~themes button:hover{color:var(--ink);text-decoration:underline;text-underline-offset:3px}
~themes button[aria-pressed=true]{background:var(--ink);color:var(--ground);font-weight:600;text-decoration:none}
~title{margin:8px 0 4px;font-size:20px;font-weight:700;line-height:1.3}
~layer{margin:18px 0 8px;color:var(--soft);font-size:12px;font-weight:600;letter-spacing:.06em;line-height:1.4;text-transform:uppercase}
~lines{display:grid;gap:8px}
~fact{padding:8px 14px 10px;border:0 solid var(--accent,#888);border-left-width:4px;border-radius:3px 8px 8px 3px;background:var(--panel)}
~name{font:600 13px/1.5 var(--mono)}
~text{white-space:pre-wrap}
~task{max-width:75ch;color:var(--soft)}
~steps{display:flex;flex-wrap:wrap;gap:4px;margin:10px 0}
~steps button{min-width:34px;min-height:30px;padding:2px 6px;border:1px solid var(--edge);border-radius:8px;background:var(--panel);font-size:13px}
~steps button[aria-current]{background:var(--ink);color:var(--ground);border-color:var(--ink);font-weight:700}
~statement{margin:2px 0 10px;padding:12px 14px;border-radius:8px;background:var(--panel);font-size:16px}
~choices{display:grid;gap:8px;grid-template-columns:repeat(auto-fit,minmax(min(100%,168px),1fr))}
~choice{display:flex;flex-direction:column;align-items:flex-start;gap:1px;min-height:44px;padding:7px 10px 9px;border:1px solid var(--edge);border-top:4px solid var(--accent,#888);border-radius:3px 3px 8px 8px;background:var(--panel);text-align:start}
~choice:hover ^name{text-decoration:underline;text-underline-offset:3px}
~choice[aria-checked=true]{box-shadow:inset 0 0 0 2px var(--ink)}
~dot{display:inline-block;width:11px;height:11px;margin-inline-end:7px;border:1.5px solid var(--soft);border-radius:50%;vertical-align:-1px}
.coglog-practice [aria-checked=true]>span>^dot{border-color:var(--ink);background:radial-gradient(var(--ink) 0 3px,transparent 3.6px)}
~key{margin-inline-start:6px;padding:0 5px;border:1px solid var(--edge);border-radius:4px;font:11px/1.5 var(--mono);color:var(--soft)}
~ask{color:var(--soft);font-size:12.5px;line-height:1.45}
~said{min-height:1px;margin:10px 0 0}
~verdict{padding:9px 14px 11px;border:1px solid var(--edge);border-inline-start-width:4px;border-radius:3px 8px 8px 3px;background:var(--panel);max-width:85ch}
~fit{font-weight:700}
~verdict p+p{margin-top:6px}
~act{margin-top:12px}
~act button{min-height:34px;padding:4px 14px;border:1px solid var(--edge);border-radius:8px;background:var(--panel)}
~act button:hover,~plain:hover{text-decoration:underline;text-underline-offset:3px}
~act ^main{border-color:var(--ink);background:var(--ink);color:var(--ground);font-weight:600}
~results{display:grid;gap:8px;margin-top:12px}
~results li{padding:9px 14px 11px;border:0 solid var(--accent,#888);border-inline-start-width:4px;border-radius:3px 8px 8px 3px;background:var(--panel)}
~plain{min-height:24px;margin-top:4px;padding:0;border:0;background:none;color:var(--soft);font-size:12.5px;text-decoration:underline;text-underline-offset:3px}
~axes{display:grid;gap:10px;grid-template-columns:repeat(auto-fit,minmax(min(100%,max(250px,40%)),1fr))}
~axis{display:flex;flex-direction:column;min-width:0;padding:9px 14px 11px;border:0 solid var(--accent,#888);border-top-width:4px;border-radius:3px 3px 8px 8px;background:var(--panel)}
~axis label{display:block;margin-bottom:6px}
~axis label ^ask{display:block}
~axis textarea{width:100%;min-height:76px;flex:1;margin:0;padding:7px 9px;border:1px solid var(--edge);border-radius:6px;background:var(--ground);color:var(--ink);font:inherit;resize:vertical}
~count{margin-top:4px;color:var(--soft);font-size:12px}
~three{display:grid;gap:10px;margin:0 0 12px;grid-template-columns:repeat(auto-fit,minmax(min(100%,210px),1fr))}
~three>div{min-width:0;padding:8px 14px 10px;border:0 solid var(--accent,#888);border-top-width:4px;border-radius:3px 3px 8px 8px;background:var(--panel)}
~head{display:block;color:var(--soft);font-size:12.5px;font-weight:600}
~why{margin-top:6px;padding-top:5px;border-top:1px dashed var(--edge);color:var(--soft);font-size:13px}
~note{color:var(--soft);font-style:italic}
~kept{margin-top:12px;color:var(--soft);font-size:12.5px}
~late{color:var(--ink);font-weight:600}
~late:empty{margin:0}
@media (forced-colors:active){~themes button[aria-pressed=true],~steps button[aria-current],~choice[aria-checked=true]{forced-color-adjust:none;background:Highlight;color:HighlightText}.coglog-practice :is(button,textarea,[tabindex]):focus-visible{outline-color:Highlight}}
@media print{.coglog-practice{max-width:none;border-color:var(--edge);print-color-adjust:exact}~themes,~act,~plain{display:none}}
`
  .replaceAll("~", ".coglog-practice .coglog-practice-")
  .replaceAll("^", ".coglog-practice-");

const darkQuery = () =>
  typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;

const systemIsDark = () => darkQuery()?.matches ?? false;

/** @param {() => void} changed */
function watchSystem(changed) {
  const query = darkQuery();
  query?.addEventListener?.("change", changed);
  return () => query?.removeEventListener?.("change", changed);
}

/** @param {unknown} theme */
const knownTheme = (theme) => THEMES.find((known) => known === theme) ?? "system";

/** @param {string} name */
const spelledOut = (name) => name.replace(/[^a-z0-9]+/gi, " ").toLowerCase();

/** @param {Statement} statement @param {string} choice */
export function fitOf(statement, choice) {
  if (choice === statement.best) return "best";
  return statement.second?.includes(choice) ? "second" : "other";
}

/** @param {{ title: string, level: number }} props */
function Heading({ title, level }) {
  return (
    <div className="coglog-practice-layer" role="heading" aria-level={level}>
      {title}
    </div>
  );
}

/** @param {{ title: string, lines: Line[], language: string }} props */
function Facts({ title, lines, language }) {
  return (
    <>
      <Heading title={title} level={4} />
      <div className="coglog-practice-lines">
        {lines.map(({ speaker, text }, number) => (
          <div key={number} className="coglog-practice-fact" data-part={speaker}>
            <b className="coglog-practice-name" lang="en">
              {speaker}
            </b>
            <div className="coglog-practice-text" lang={language} dir="auto">
              {text}
            </div>
          </div>
        ))}
      </div>
    </>
  );
}

/** A choice's name as it is spoken of, with its label where that says more. @param {Field[]} fields @param {Say} say */
const naming = (fields, say) => (/** @type {string} */ choice) => {
  if (choice === NONE) return say("none.label");
  const label = fields.find(({ name }) => name === choice)?.label ?? choice;
  return spelledOut(label) === spelledOut(choice) ? choice : `${choice} (${label})`;
};

/**
 * The choices of one statement: radio buttons, but for the arrow keys, which only move. With each of them chosen on the
 * way, whoever works by keyboard would have the first one as the answer and all reasons in their ears.
 * @param {{
 *   fields: Field[],
 *   say: Say,
 *   chosen: string | undefined,
 *   labelledBy: string,
 *   takesFocus: boolean,
 *   onChoose: (choice: string) => void,
 * }} props
 */
function Choices({ fields, say, chosen, labelledBy, takesFocus, onChoose }) {
  const all = [
    ...fields.filter(({ layer }) => layer === "interpretation"),
    { name: NONE, label: say("none.label"), direction: "", question: say("none.question") },
  ];
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      all.findIndex(({ name }) => name === chosen),
    ),
  );
  const group = useRef(/** @type {HTMLDivElement | null} */ (null));
  const hint = useId();

  /** @param {number} number */
  const focus = (number) => {
    setActive(number);
    /** @type {HTMLElement | undefined} */ (group.current?.children[number])?.focus();
  };

  useLayoutEffect(() => {
    if (takesFocus) /** @type {HTMLElement | undefined} */ (group.current?.children[active])?.focus();
    // Only where it appears: later on the focus is where it was put.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  /** @param {React.KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = all.length - 1;
    /** @type {{ [key: string]: number }} */
    const moves = {
      ArrowRight: active === last ? 0 : active + 1,
      ArrowDown: active === last ? 0 : active + 1,
      ArrowLeft: active === 0 ? last : active - 1,
      ArrowUp: active === 0 ? last : active - 1,
      Home: 0,
      End: last,
    };
    const choice = all[Number(event.key) - 1];
    if (event.key in moves) focus(moves[event.key]);
    else if (choice) {
      focus(all.indexOf(choice));
      onChoose(choice.name);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <div
        ref={group}
        className="coglog-practice-choices"
        role="radiogroup"
        aria-labelledby={labelledBy}
        aria-describedby={hint}
        onKeyDown={onKeyDown}
        {...OWN_KEYS}
      >
        {all.map(({ name, label, direction, question }, number) => (
          <button
            key={name}
            type="button"
            role="radio"
            aria-checked={name === chosen}
            tabIndex={number === active ? 0 : -1}
            className="coglog-practice-choice"
            data-part={name}
            onFocus={() => setActive(number)}
            onClick={() => onChoose(name)}
          >
            <span>
              <span className="coglog-practice-dot" aria-hidden="true" />
              <b className="coglog-practice-name" lang={name === NONE ? undefined : "en"}>
                {name === NONE ? label : name}
              </b>
              <kbd className="coglog-practice-key" lang="en" aria-hidden="true">
                {number + 1}
              </kbd>
            </span>{" "}
            <span className="coglog-practice-ask">
              {name === NONE || spelledOut(label) === spelledOut(name) ? "" : `${label} \u00b7 `}
              {direction ? `${direction}: ` : ""}
              {question}
            </span>
          </button>
        ))}
      </div>
      <p id={hint} className="coglog-practice-soft" style={{ marginTop: 6 }}>
        {say("place.keys")}
      </p>
    </>
  );
}

/**
 * What is said of a choice.
 * @param {{ statement: Statement, choice: string, name: (choice: string) => string, say: Say, language: string,
 *   closing?: boolean }} props
 */
function Verdict({ statement, choice, name, say, language, closing = false }) {
  const fit = fitOf(statement, choice);
  const tellsBest = fit === "second" || (closing && fit === "other");
  return (
    <>
      <p>
        <span className="coglog-practice-fit">
          <span aria-hidden="true">{`${SIGNS[fit]} `}</span>
          {say(`fit.${fit}`)}
        </span>
        {" \u00b7 "}
        <span>{name(choice)}</span>
      </p>
      <p lang={language} dir="auto">
        {statement.reasons[choice]}
      </p>
      {tellsBest ? (
        <p>
          <b>{say("fit.second.then", { choice: name(statement.best) })}</b>{" "}
          <span lang={language}>{statement.reasons[statement.best]}</span>
        </p>
      ) : null}
      {fit === "other" && !closing ? <p className="coglog-practice-soft">{say("fit.other.then")}</p> : null}
    </>
  );
}

/**
 * @param {Required<Pick<ExerciseProps, "exercise" | "fields" | "answers">>
 *   & Pick<ExerciseProps, "onAnswers" | "onAgain"> & { say: Say, language: string }} props
 */
function Place({ exercise, fields, answers, say, language, onAnswers, onAgain }) {
  const statements = exercise.statements ?? [];
  const total = statements.length;
  const name = naming(fields, say);
  const isPlaced = (/** @type {number} */ number) => (answers[number]?.length ?? 0) > 0;
  const done = statements.filter((_, number) => isPlaced(number)).length;
  const firstOpen = statements.findIndex((_, number) => !isPlaced(number));

  // `moved` tells a step of the reader's own, which takes the focus along, from what is there at the beginning.
  const [place, setPlace] = useState({ at: firstOpen < 0 ? total : firstOpen, moved: false });
  const { at, moved } = place;
  const atResult = at >= total && done === total;
  const current = Math.min(at, total - 1);
  const statement = statements[current];
  const chosen = answers[current]?.at(-1);
  const heading = useId();
  const text = useId();
  const result = useRef(/** @type {HTMLDivElement | null} */ (null));
  const go = (/** @type {number} */ number) => setPlace({ at: number, moved: true });

  useLayoutEffect(() => {
    if (atResult && moved) result.current?.focus();
  }, [atResult, moved]);

  /** @param {string} choice */
  const choose = (choice) => {
    const before = answers[current] ?? [];
    if (before.at(-1) === choice) return;
    onAnswers?.({ ...answers, [current]: before.length ? [before[0], choice] : [choice] });
  };

  const nextOpen = [...statements.keys()]
    .map((step) => (current + 1 + step) % total)
    .find((n) => !isPlaced(n));
  const next = current + 1 < total ? current + 1 : (nextOpen ?? total);

  const fits = statements.map((each, number) =>
    isPlaced(number) ? fitOf(each, /** @type {string} */ (answers[number].at(-1))) : "",
  );
  const count = (/** @type {string} */ fit) => fits.filter((each) => each === fit).length;

  return (
    <>
      <Facts title={say("dialogue")} lines={exercise.dialogue ?? []} language={language} />
      <Heading title={say("place.question")} level={4} />
      <p className="coglog-practice-task">{say("place.task")}</p>
      <ol className="coglog-practice-steps" aria-label={say("statements")} {...OWN_KEYS}>
        {statements.map((_, number) => (
          <li key={number}>
            <button
              type="button"
              aria-current={!atResult && number === current ? "step" : undefined}
              aria-label={say("statement.state", {
                number: number + 1,
                state: say(fits[number] ? `fit.${fits[number]}` : "statement.open"),
              })}
              onClick={() => go(number)}
            >
              {number + 1}
              {fits[number] ? <span aria-hidden="true">{`\u00a0${SIGNS[fits[number]]}`}</span> : null}
            </button>
          </li>
        ))}
      </ol>
      {atResult ? (
        <div {...OWN_KEYS}>
          <div
            ref={result}
            tabIndex={-1}
            className="coglog-practice-layer"
            role="heading"
            aria-level={4}
            style={{ display: "inline-block" }}
          >
            {say("result")}
          </div>
          <p>
            <b>
              {say("result.counts", { best: count("best"), second: count("second"), other: count("other") })}
            </b>
          </p>
          <p>
            {say("result.first", {
              first: statements.filter((each, number) => fitOf(each, answers[number][0]) === "best").length,
              total,
            })}
          </p>
          <ol className="coglog-practice-results">
            {statements.map((each, number) => (
              <li key={number} data-part={each.best}>
                <p className="coglog-practice-text" lang={language} dir="auto">
                  <b>{`${number + 1}. ${each.text}`}</b>
                </p>
                <Verdict
                  statement={each}
                  choice={/** @type {string} */ (answers[number].at(-1))}
                  name={name}
                  say={say}
                  language={language}
                  closing
                />
                <button
                  type="button"
                  className="coglog-practice-plain"
                  aria-label={`${say("look")} (${number + 1})`}
                  onClick={() => go(number)}
                >
                  {say("look")}
                </button>
              </li>
            ))}
          </ol>
          <div className="coglog-practice-row coglog-practice-act">
            <button
              type="button"
              onClick={() => {
                onAgain?.();
                go(0);
              }}
            >
              {say("again")}
            </button>
          </div>
        </div>
      ) : (
        <div role="group" aria-labelledby={heading}>
          <div className="coglog-practice-row">
            <b id={heading} role="heading" aria-level={4}>
              {say("statement", { number: current + 1, total })}
            </b>
            <span className="coglog-practice-soft">{say("progress", { done, total })}</span>
          </div>
          <div
            id={text}
            className="coglog-practice-statement coglog-practice-text"
            lang={language}
            dir="auto"
          >
            {statement.text}
          </div>
          <Choices
            key={current}
            fields={fields}
            say={say}
            chosen={chosen}
            labelledBy={text}
            takesFocus={moved}
            onChoose={choose}
          />
          <div className="coglog-practice-said" role="status">
            {chosen ? (
              <div className="coglog-practice-verdict">
                <Verdict statement={statement} choice={chosen} name={name} say={say} language={language} />
              </div>
            ) : null}
          </div>
          <div className="coglog-practice-row coglog-practice-act" {...OWN_KEYS}>
            {current > 0 ? (
              <button type="button" onClick={() => go(current - 1)}>
                {say("previous")}
              </button>
            ) : null}
            {/* Until all are placed, the step after the last one is the first that isn't. */}
            {next < total || done === total ? (
              <button
                type="button"
                className={chosen ? "coglog-practice-main" : undefined}
                onClick={() => go(done === total && current === total - 1 ? total : next)}
              >
                {say(done === total && current === total - 1 ? "result.show" : "next")}
              </button>
            ) : null}
            {done === total && current < total - 1 ? (
              <button type="button" onClick={() => go(total)}>
                {say("result.show")}
              </button>
            ) : null}
          </div>
        </div>
      )}
    </>
  );
}

/** As Python counts them. @param {string} text */
const charactersOf = (text) => [...text].length;

/**
 * One text area. Its text is its own: what is written there is never put there again, which would end a composition and
 * move the caret. It takes over what comes from outside only while nobody writes in it.
 * @param {{
 *   field: Field,
 *   text: string,
 *   say: Say,
 *   onText: (text: string, done: boolean) => void,
 * }} props
 */
function Axis({ field, text, say, onText }) {
  const { name, label, direction, question } = field;
  const id = useId();
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));

  useLayoutEffect(() => {
    const there = area.current;
    if (!there || there.value === text) return;
    const root = /** @type {Document | ShadowRoot} */ (there.getRootNode());
    if (root.activeElement !== there) there.value = text;
  }, [text]);

  const count = charactersOf(text);
  return (
    <div className="coglog-practice-axis" data-part={name}>
      <label htmlFor={id}>
        <b className="coglog-practice-name" lang="en">
          {name}
        </b>{" "}
        <span className="coglog-practice-soft">
          {spelledOut(label) === spelledOut(name) ? direction : `${label} \u00b7 ${direction}`}
        </span>{" "}
        <span className="coglog-practice-ask">{question}</span>
      </label>
      <textarea
        ref={area}
        id={id}
        dir="auto"
        rows={3}
        aria-describedby={`${id}-count`}
        onInput={(event) => onText(event.currentTarget.value, false)}
        onBlur={(event) => onText(event.currentTarget.value, true)}
      />
      <span id={`${id}-count`} className="coglog-practice-count">
        {say(count === 1 ? "characters.one" : "characters.many", { count })}
      </span>
    </div>
  );
}

/**
 * @param {Required<Pick<ExerciseProps, "exercise" | "fields" | "axes" | "compared">>
 *   & Pick<ExerciseProps, "onAxes" | "onCompare" | "onAgain" | "onCopy"> & { say: Say, language: string }} props
 */
function Blank({ exercise, fields, axes, compared, say, language, onAxes, onCompare, onAgain, onCopy }) {
  const facts = exercise.facts ?? {};
  const shownAxes = fields.filter(({ layer }) => layer === "interpretation");
  const [said, setSaid] = useState("");
  const comparison = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [moved, setMoved] = useState(false);

  useLayoutEffect(() => {
    if (compared && moved) comparison.current?.focus();
  }, [compared, moved]);

  const copy = async () => {
    const turn = { ...facts };
    for (const { name } of shownAxes) turn[name] = axes[name] ?? "";
    try {
      await onCopy?.(`%%coglog write\n${JSON.stringify(turn, null, 2)}`);
      setSaid(say("copied"));
    } catch {
      setSaid(say("copied.not"));
    }
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
        {shownAxes.map((field) => (
          <Axis
            key={field.name}
            field={field}
            text={axes[field.name] ?? ""}
            say={say}
            onText={(text, done) => {
              if (text !== (axes[field.name] ?? "") || done) onAxes?.({ ...axes, [field.name]: text }, done);
            }}
          />
        ))}
      </div>
      <div className="coglog-practice-row coglog-practice-act" {...OWN_KEYS}>
        <button
          type="button"
          className={compared ? undefined : "coglog-practice-main"}
          aria-expanded={compared}
          onClick={() => {
            setMoved(true);
            onCompare?.(!compared);
          }}
        >
          {say(compared ? "compare.hide" : "compare")}
        </button>
        {onCopy ? (
          <button type="button" onClick={copy} onBlur={() => setSaid("")}>
            {say("copy")}
          </button>
        ) : null}
        <span role="status">{said}</span>
      </div>
      {compared ? (
        <>
          <div
            ref={comparison}
            tabIndex={-1}
            className="coglog-practice-layer"
            role="heading"
            aria-level={4}
            style={{ width: "fit-content" }}
          >
            {say("compare.title")}
          </div>
          <p className="coglog-practice-task" style={{ marginBottom: 10 }}>
            {say("compare.hint")}
          </p>
          {shownAxes.map(({ name }) => (
            <div key={name} role="group" aria-label={name}>
              <b className="coglog-practice-name" lang="en" role="heading" aria-level={5}>
                {name}
              </b>
              <div className="coglog-practice-three" data-part={name}>
                <div>
                  <span className="coglog-practice-head">{say("yours")}</span>
                  {axes[name]?.trim() ? (
                    <div className="coglog-practice-text" dir="auto">
                      {axes[name]}
                    </div>
                  ) : (
                    <i className="coglog-practice-note">{say("empty")}</i>
                  )}
                </div>
                {(exercise.answers ?? []).map(({ title, axes: worked }, number) => (
                  <div key={number}>
                    <span className="coglog-practice-head">
                      {say("answer", { number: number + 1, title })}
                    </span>
                    {worked[name].text ? (
                      <div className="coglog-practice-text" lang={language} dir="auto">
                        {worked[name].text}
                      </div>
                    ) : (
                      <i className="coglog-practice-note">{say("empty")}</i>
                    )}
                    <div className="coglog-practice-why">
                      <b>{`${say("why")}: `}</b>
                      <span lang={language}>{worked[name].why}</span>
                    </div>
                  </div>
                ))}
              </div>
            </div>
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
  const dark = useSyncExternalStore(watchSystem, systemIsDark, () => false);
  // A new `theme` from outside wins over what was clicked before it; the clicks after it win over it.
  const [toggle, setToggle] = useState({ from: theme, choice: knownTheme(theme) });
  if (toggle.from !== theme) setToggle({ from: theme, choice: knownTheme(theme) });
  const { choice } = toggle;
  const shown = choice === "system" ? (pageTheme ?? (dark ? "dark" : "light")) : choice;
  const language = exercise.language ?? "en";

  /** @type {Say} */
  const say = (key, values = {}) => (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => `${values[name]}`);

  return (
    <div
      className="coglog-practice"
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
        <div className="coglog-practice-themes" role="group" aria-label={say("theme")} {...OWN_KEYS}>
          {THEMES.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === choice}
              onClick={() => setToggle({ from: theme, choice: each })}
            >
              {say(`theme.${each}`)}
            </button>
          ))}
        </div>
      </div>
      <div className="coglog-practice-title" role="heading" aria-level={3} lang={language}>
        {exercise.title}
      </div>
      {exercise.kind === "place" ? (
        <Place
          exercise={exercise}
          fields={fields}
          answers={answers}
          say={say}
          language={language}
          onAnswers={onAnswers}
          onAgain={onAgain}
        />
      ) : (
        <Blank
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
