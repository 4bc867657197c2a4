import { Fragment } from 'react';
import { codeParts } from '../../lib/code-parts.ts';

/** A message whose code stands between backticks, as the compiler writes it. */
export function CodeText({ text }: { text: string }) {
  return codeParts(text).map(({ isCode, text: part }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change places.
    isCode ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
  );
}
