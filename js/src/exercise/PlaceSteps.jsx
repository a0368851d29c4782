import { SIGNS } from "./fit.js";
import { OWN_KEYS } from "./own-keys.js";

/**
 * A button for each statement, with how its answer fits.
 * @param {{
 *   fits: (import("./fit.js").Fit | "")[],
 *   current: number,
 *   say: import("./Exercise.jsx").Say,
 *   onGo: (number: number) => void,
 * }} props `current` is the statement that is shown, or -1
 */
export default function PlaceSteps({ fits, current, say, onGo }) {
  return (
    <ol className="coglog-practice-steps" aria-label={say("statements")} {...OWN_KEYS}>
      {fits.map((fit, number) => (
        <li key={number}>
          <button
            type="button"
            aria-current={number === current ? "step" : undefined}
            aria-label={say("statement.state", {
              number: number + 1,
              state: say(fit ? `fit.${fit}` : "statement.open"),
            })}
            onClick={() => onGo(number)}
          >
            {number + 1}
            {fit ? <span aria-hidden="true">{`\u00a0${SIGNS[fit]}`}</span> : null}
          </button>
        </li>
      ))}
    </ol>
  );
}
