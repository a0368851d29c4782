/**
 * JupyterLab acts on keys that are pressed at a button in an output, unless an element around it has this attribute. The
 * text areas go without it: JupyterLab leaves what is typed there alone, and its own keys, such as that for saving, work.
 */
export const OWN_KEYS = { "data-lm-suppress-shortcuts": "true" };
