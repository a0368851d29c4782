import Heading from "./Heading.jsx";

/**
 * What was said: a dialogue, or the facts of a turn.
 * @param {{ title: string, lines: import("./Exercise.jsx").Line[], language: string }} props
 */
export default function Facts({ title, lines, language }) {
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
