/** What `npm test` plays (`simulate.ts --push`), in one process: its start takes as long as twenty weeks. */
export const PUSH = {
  /** Histories of a month, which are played twice. */
  months: 4,
  /** Histories of a week: so many with fixed seeds, and as many with random ones. */
  weeks: 50,
  /** Of the faults at each call. */
  faults: 10,
} as const;

/** The line before each part. */
export const partLine = (part: keyof typeof PUSH): string => `== ${part}`;
