import { useEffect, useState } from "react";

// Drawing a card with more characters than this takes longer than a key is held down.
const MUCH = 50_000;
const PAUSE = 300;

/**
 * The texts to draw a card from: as they are, or if they are long, as they were when the typing last paused.
 * @param {{ [name: string]: string }} texts
 */
export function useSettled(texts) {
  const isMuch = Object.values(texts).reduce((sum, text) => sum + text.length, 0) > MUCH;
  const [settled, setSettled] = useState(texts);
  useEffect(() => {
    if (!isMuch) return undefined;
    const timer = setTimeout(() => setSettled(texts), PAUSE);
    return () => clearTimeout(timer);
  }, [texts, isMuch]);
  return isMuch ? settled : texts;
}
