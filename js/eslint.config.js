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
    files: ["src/**/*.jsx"],
    languageOptions: { parserOptions: { ecmaFeatures: { jsx: true } } },
    rules: {
      // The rule doesn't see that JSX uses a component, and the classic JSX runtime uses React. tsc sees both.
      "no-unused-vars": ["error", { varsIgnorePattern: "^[A-Z]" }],
    },
  },
  {
    files: ["src/**/*.jsx", "src/theme.js", "src/**/use-*.js"],
    plugins: { "react-hooks": reactHooks },
    rules: reactHooks.configs.recommended.rules,
  },
  // The viewer is handed out as one file: it may read nothing else of its surroundings.
  { files: ["src/CogLogViewer.jsx", "src/theme.js"], languageOptions: { globals: globals("matchMedia") } },
  {
    // What is only ever part of a widget or of the page.
    files: ["src/**/*.js", "src/*/*.jsx"],
    languageOptions: { globals: globals("MutationObserver clearTimeout console setTimeout") },
  },
  { files: ["src/export-page.js"], languageOptions: { globals: globals("document") } },
  {
    files: ["*.mjs", "test/*.mjs"],
    languageOptions: {
      globals: globals(
        "AbortController AbortSignal Buffer URL console document globalThis process setTimeout structuredClone window",
      ),
    },
  },
];
