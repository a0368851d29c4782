import { useId, useLayoutEffect, useRef } from "react";

import { saysMore } from "./names.js";

/** Counts characters as Python does. @param {string} text */
const charactersOf = (text) => [...text].length;

/**
 * The text area of one axis. What is typed there is never written back into it, because that would end a composition and
 * move the caret. It takes a text from outside only while it doesn't have the focus.
 * @param {{
 *   field: import("../CogLogViewer.jsx").Field,
 *   text: string,
 *   say: import("./Exercise.jsx").Say,
 *   onText: (text: string, done: boolean) => void,
 * }} props
 */
export default function AxisInput({ field, text, say, onText }) {
  const { name, label, direction, question } = field;
  const id = useId();
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));

  useLayoutEffect(() => {
    const element = area.current;
    if (!element || element.value === text) return;
    const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
    if (root.activeElement !== element) element.value = text;
  }, [text]);

  const count = charactersOf(text);
  return (
    <div className="coglog-practice-axis" data-part={name}>
      <label htmlFor={id}>
        <b className="coglog-practice-name" lang="en">
          {name}
        </b>{" "}
        <span className="coglog-practice-soft">
          {saysMore(field) ? `${label} \u00b7 ${direction}` : direction}
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
