import { useLayoutEffect, useRef } from "react";

/**
 * A heading that takes the focus when it appears, if the reader's own step brought it.
 * @param {{ title: string, takesFocus: boolean }} props
 */
export default function FocusedHeading({ title, takesFocus }) {
  const heading = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  return (
    <div
      ref={heading}
      tabIndex={-1}
      className="coglog-practice-layer"
      role="heading"
      aria-level={4}
      style={{ width: "fit-content" }}
    >
      {title}
    </div>
  );
}
