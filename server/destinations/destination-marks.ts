/**
 * Tells a restored backup of the hub from a crash. Each run leaves a mark at a target that remembers; the hub stores
 * the mark before the run. A target with a mark that the hub does not know has changes that the hub no longer has.
 */
export interface Mark {
  id: string;
  /** The last stamp of a change when the run began, in microseconds. */
  stamp: number;
}

/** What is stored of a destination in `position`. */
export interface MarkedPosition {
  /** Of the last run that the target confirmed. */
  mark: Mark | null;
  /** Of the run that was begun after it; the target may have it. */
  next: Mark | null;
  /** Milliseconds: when the target was last ahead of the hub. */
  aheadAt: number | null;
  /** The target's own. */
  own: string;
}

/** What a target is told at the beginning of a run. */
export interface TargetMarks {
  known: readonly string[];
  next: string;
  /** Every change with a later stamp may be one that the hub no longer has. */
  stamp: number;
  /** The target was ahead lately: now it is another hub that writes there, and not another restored backup. */
  isOtherHub: boolean;
}

/** A second backup within this time is less likely than a copy of the hub. */
const LATELY_MS = 24 * 3_600_000;

export function readPosition(text: string): MarkedPosition {
  const stored = JSON.parse(text) as Partial<MarkedPosition>;
  // Earlier versions stored what is the target's own.
  if (stored.own === undefined) return { mark: null, next: null, aheadAt: null, own: text };
  return { mark: null, next: null, aheadAt: null, ...stored, own: stored.own };
}

export function targetMarks(
  { aheadAt, mark }: MarkedPosition,
  next: Mark,
  { isReplay, now }: { isReplay: boolean; now: number },
): TargetMarks {
  return {
    known: mark ? [mark.id, next.id] : [next.id],
    next: next.id,
    stamp: mark?.stamp ?? 0,
    // A person who replays everything has decided which hub it is.
    isOtherHub: !isReplay && aheadAt !== null && Math.abs(now - aheadAt) < LATELY_MS,
  };
}
