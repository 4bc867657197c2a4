/** What `npm test` plays (`simulate.ts --push`): the random weeks in a process of their own, everything else in another one. */
export const PUSH = {
  /** Histories of a month, which are played twice. */
  months: 4,
  /** Histories of a week: so many with fixed seeds, and as many with random ones. */
  weeks: 100,
  /** Of the faults at each call. */
  faults: 10,
} as const;

/** The line before each part. */
export const partLine = (part: keyof typeof PUSH): string => `== ${part}`;
