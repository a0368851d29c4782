/** @param {{ title: string, level: number }} props */
export default function Heading({ title, level }) {
  return (
    <div className="coglog-practice-layer" role="heading" aria-level={level}>
      {title}
    </div>
  );
}
