/**
 * The text of one axis, or a note that it is empty.
 * @param {{ text: string, language?: string, say: import("./Exercise.jsx").Say }} props
 */
function AxisText({ text, language, say }) {
  if (!text) return <i className="coglog-practice-note">{say("empty")}</i>;
  return (
    <div className="coglog-practice-text" lang={language} dir="auto">
      {text}
    </div>
  );
}

/**
 * The reader's own text of one axis beside those of the worked answers.
 * @param {{
 *   name: string,
 *   own: string,
 *   answers: import("./Exercise.jsx").Worked[],
 *   say: import("./Exercise.jsx").Say,
 *   language: string,
 * }} props
 */
export default function Comparison({ name, own, answers, say, language }) {
  return (
    <div role="group" aria-label={name}>
      <b className="coglog-practice-name" lang="en" role="heading" aria-level={5}>
        {name}
      </b>
      <div className="coglog-practice-three" data-part={name}>
        <div>
          <span className="coglog-practice-head">{say("yours")}</span>
          <AxisText text={own.trim() ? own : ""} say={say} />
        </div>
        {answers.map(({ title, axes }, number) => (
          <div key={number}>
            <span className="coglog-practice-head">{say("answer", { number: number + 1, title })}</span>
            <AxisText text={axes[name].text} language={language} say={say} />
            <div className="coglog-practice-why">
              <b>{`${say("why")}: `}</b>
              <span lang={language}>{axes[name].why}</span>
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
