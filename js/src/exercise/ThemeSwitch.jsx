import { THEMES } from "../theme.js";
import { OWN_KEYS } from "./own-keys.js";

/**
 * @param {{
 *   choice: import("../theme.js").Theme,
 *   say: import("./Exercise.jsx").Say,
 *   onChoose: (theme: import("../theme.js").Theme) => void,
 * }} props
 */
export default function ThemeSwitch({ choice, say, onChoose }) {
  return (
    <div className="coglog-practice-themes" role="group" aria-label={say("theme")} {...OWN_KEYS}>
      {THEMES.map((theme) => (
        <button key={theme} type="button" aria-pressed={theme === choice} onClick={() => onChoose(theme)}>
          {say(`theme.${theme}`)}
        </button>
      ))}
    </div>
  );
}
