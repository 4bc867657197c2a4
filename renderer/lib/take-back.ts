/** How an act is undone for as long as its notice is shown. Its functions also work after the screen was left. */
export interface TakeBack {
  /** Resolves to what is true afterwards, as a sentence. */
  undo: () => Promise<string>;
  /** The notice is still shown: an act that waits has to go on waiting. */
  keep?: () => Promise<unknown>;
  /** The notice is gone: an act that waits happens now. */
  end?: () => Promise<unknown>;
}

/** What is true after an undo that leaves alone what was changed meanwhile: "Started again: 2 of 3. …". */
export const undoneText = (done: string, count: number, total: number): string =>
  count === total ? done : `${done}: ${count} of ${total}. The others were changed since`;

/** One way back for the parts of an act; undefined when there is nothing to undo. */
export function together(parts: ReadonlyArray<TakeBack | undefined>): TakeBack | undefined {
  const known = parts.filter((part) => part !== undefined);
  const [first, ...others] = known;
  if (!first || others.length === 0) return first;
  const all = (what: 'keep' | 'end') =>
    known.some((part) => part[what]) ? { [what]: () => Promise.all(known.map((part) => part[what]?.())) } : {};
  return {
    // The last act is undone first.
    undo: async () => {
      const sentences = new Set<string>();
      for (const part of known.toReversed()) sentences.add(await part.undo());
      return [...sentences].join('. ');
    },
    ...all('keep'),
    ...all('end'),
  };
}
