/** A style sheet is imported as its text, which the build minifies. */
declare module "*.css" {
  const text: string;
  export default text;
}
