import { useId, useLayoutEffect, useRef, useState } from "react";

import { NONE, saysMore } from "./names.js";
import { OWN_KEYS } from "./own-keys.js";

/**
 * Where a key moves the focus among the choices, or undefined.
 * @param {string} key @param {number} active @param {number} total
 * @returns {number | undefined}
 */
function moveOf(key, active, total) {
  const last = total - 1;
  /** @type {{ [key: string]: number }} */
  const moves = {
    ArrowRight: active === last ? 0 : active + 1,
    ArrowDown: active === last ? 0 : active + 1,
    ArrowLeft: active === 0 ? last : active - 1,
    ArrowUp: active === 0 ? last : active - 1,
    Home: 0,
    End: last,
  };
  return Object.hasOwn(moves, key) ? moves[key] : undefined;
}

/**
 * One choice.
 * @param {{
 *   choice: { name: string, label: string, direction: string, question: string },
 *   number: number,
 *   isChosen: boolean,
 *   isActive: boolean,
 *   onFocus: () => void,
 *   onClick: () => void,
 * }} props
 */
function Choice({ choice, number, isChosen, isActive, onFocus, onClick }) {
  const { name, label, direction, question } = choice;
  return (
    <button
      type="button"
      role="radio"
      aria-checked={isChosen}
      tabIndex={isActive ? 0 : -1}
      className="coglog-practice-choice"
      data-part={name}
      onFocus={onFocus}
      onClick={onClick}
    >
      <span>
        <span className="coglog-practice-dot" aria-hidden="true" />
        <b className="coglog-practice-name" lang={name === NONE ? undefined : "en"}>
          {name === NONE ? label : name}
        </b>
        <kbd className="coglog-practice-key" lang="en" aria-hidden="true">
          {number}
        </kbd>
      </span>{" "}
      <span className="coglog-practice-ask">
        {name !== NONE && saysMore(choice) ? `${label} \u00b7 ` : ""}
        {direction ? `${direction}: ` : ""}
        {question}
      </span>
    </button>
  );
}

/**
 * The choices of one statement: radio buttons whose arrow keys only move the focus. If they also chose, a reader who works
 * by keyboard would answer with the first choice and hear every reason on the way.
 * @param {{
 *   fields: import("../CogLogViewer.jsx").Field[],
 *   say: import("./Exercise.jsx").Say,
 *   chosen: string | undefined,
 *   labelledBy: string,
 *   takesFocus: boolean,
 *   onChoose: (choice: string) => void,
 * }} props
 */
export default function Choices({ fields, say, chosen, labelledBy, takesFocus, onChoose }) {
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
    // Only when it appears; after that the reader moves the focus.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  /** @param {React.KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = moveOf(event.key, active, all.length);
    const choice = all[Number(event.key) - 1];
    if (target !== undefined) focus(target);
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
        {all.map((choice, number) => (
          <Choice
            key={choice.name}
            choice={choice}
            number={number + 1}
            isChosen={choice.name === chosen}
            isActive={number === active}
            onFocus={() => setActive(number)}
            onClick={() => onChoose(choice.name)}
          />
        ))}
      </div>
      <p id={hint} className="coglog-practice-soft" style={{ marginTop: 6 }}>
        {say("place.keys")}
      </p>
    </>
  );
}
