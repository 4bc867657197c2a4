import { useEffect, useRef, useState } from 'react';

const DEBOUNCE_MS = 250;

/**
 * `sent` from `value` on, oldest first; undefined when `value` was not sent, which means that it was changed elsewhere.
 */
export function afterReturn(sent: string[], value: string): string[] | undefined {
  const index = sent.indexOf(value);
  return index < 0 ? undefined : sent.slice(index);
}

/**
 * The text of a search field whose `value` is in the address: sent a quarter of a second after the last key, or by `sendNow`.
 * A sent value may come back when more is typed already; it does not replace the newer text.
 */
export function useTypedText(value: string, onChange: (value: string) => void) {
  const [text, setText] = useState(value);
  const sent = useRef([value]);
  // A rerender of the list during typing must not restart the delay.
  const send = useRef(onChange);
  send.current = onChange;
  useEffect(() => {
    const left = afterReturn(sent.current, value);
    if (!left) setText(value);
    sent.current = left ?? [value];
  }, [value]);
  const sendNow = useRef((next: string): void => {
    if (next === sent.current.at(-1)) return;
    sent.current.push(next);
    send.current(next);
  }).current;
  useEffect(() => {
    const timer = setTimeout(() => sendNow(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text, sendNow]);
  return { text, setText, sendNow };
}
