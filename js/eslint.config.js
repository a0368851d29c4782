import reactHooks from "eslint-plugin-react-hooks";

const RULES = {
  "no-undef": "error",
  "no-unused-vars": "error",
  "prefer-const": "error",
  "no-var": "error",
  eqeqeq: "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-new-func": "error",
};

/** @param {string} names */
const globals = (names) => Object.fromEntries(names.split(" ").map((name) => [name, "readonly"]));

export default [
  { ignores: ["node_modules"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" }, rules: RULES },
  {
    files: ["src/*.jsx"],
    plugins: { "react-hooks": reactHooks },
    languageOptions: {
      parserOptions: { ecmaFeatures: { jsx: true } },
      // The viewer is handed out as a file of its own: this is all that it may read of its surroundings.
      globals: globals("matchMedia"),
    },
    rules: {
      ...reactHooks.configs.recommended.rules,
      // Only the classic JSX runtime uses the name, and components are used in JSX alone, which the rule can't see.
      "no-unused-vars": [
        "error",
        { varsIgnorePattern: "^(React|Part|Text|Copy|Heading|Facts|Choices|Verdict|Place|Axis|Blank)$" },
      ],
    },
  },
  {
    // What is only ever part of a widget.
    files: ["src/*.jsx"],
    ignores: ["src/CogLogViewer.jsx"],
    languageOptions: { globals: globals("clearTimeout setTimeout") },
  },
  {
    files: ["src/*.js"],
    languageOptions: {
      globals: globals("MutationObserver clearTimeout console setTimeout"),
    },
  },
  { files: ["src/page.js"], languageOptions: { globals: globals("document") } },
  {
    files: ["*.mjs", "test/*.mjs"],
    languageOptions: {
      globals: globals(
        "AbortController AbortSignal Buffer URL console document globalThis process setTimeout structuredClone window",
      ),
    },
  },
];
