import { useEffect, useEffectEvent, useState } from 'react';

const DEBOUNCE_MS = 250;

/** What a search field sends, and when: a quarter of a second after the last key, or at once. */
export class TypedText {
  /** From the newest value that came back on, oldest first. */
  #sent: string[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #send: (text: string) => void;

  constructor(value: string, send: (text: string) => void) {
    this.#sent = [value];
    this.#send = send;
  }

  /** The address has this value. Returns whether it was changed elsewhere, and replaces the text. */
  receive(value: string): boolean {
    const index = this.#sent.indexOf(value);
    this.#sent = index < 0 ? [value] : this.#sent.slice(index);
    // On a slow page, the replaced text would be sent before the new one is rendered.
    if (index < 0) this.stop();
    return index < 0;
  }

  sendLater(text: string): void {
    this.stop();
    this.#timer = setTimeout(() => this.sendNow(text), DEBOUNCE_MS);
  }

  sendNow(text: string): void {
    if (text === this.#sent.at(-1)) return;
    this.#sent.push(text);
    this.#send(text);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * The text of a search field whose `value` is in the address.
 * A sent value may come back when more is typed already; it does not replace the newer text.
 */
export function useTypedText(
  value: string,
  onChange: (value: string) => void,
  /** The part of the text that is complete; the rest is sent when it is, or with `sendNow`. */
  completeOf: (text: string) => string = (text) => text,
) {
  const [text, setText] = useState(value);
  // A rerender of the list during typing must not restart the delay.
  const send = useEffectEvent(onChange);
  const [typed] = useState(() => new TypedText(value, (next) => send(next)));
  useEffect(() => {
    if (typed.receive(value)) setText(value);
  }, [value, typed]);
  const complete = completeOf(text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each key begins the delay again.
  useEffect(() => {
    typed.sendLater(complete);
    return () => typed.stop();
  }, [text, complete, typed]);
  return { text, setText, sendNow: (next: string) => typed.sendNow(next) };
}
