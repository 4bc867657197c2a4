import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** Milliseconds. A question that hangs does not hold back what is known for ever; a slow computer gets its time. */
const MOST_MS = 10_000;

/**
 * Whether every question that the page has asked until now has a first answer, or failed once. It stays true then: a page
 * that waits for it is drawn once, and nothing moves while its parts arrive.
 */
export function useAnswered(): boolean {
  const asked = useIsFetching({
    predicate: ({ state }) => state.data === undefined && state.fetchFailureCount === 0,
  });
  const [isAnswered, setAnswered] = useState(false);
  useEffect(() => {
    if (asked > 0 || isAnswered) return;
    // An answer can lead to another question: that one is asked within the next frame.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setAnswered(true));
    });
    return () => cancelAnimationFrame(frame);
  }, [asked, isAnswered]);
  useEffect(() => {
    const timer = setTimeout(() => setAnswered(true), MOST_MS);
    return () => clearTimeout(timer);
  }, []);
  return isAnswered;
}
