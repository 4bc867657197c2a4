import type { SourceChange } from './seams/hooks.ts';

/** A mend of the hub, taken out: the fault is back, and the simulator has to find it. */
export interface Mend {
  /** What it mended: a number of the reviews (of attacks, of the server), or what the simulator itself found. */
  finding: string;
  changes: SourceChange[];
  /** The history in which it shows (`world/steps.ts`), in the order of some seeds; without it the seeds' own histories. */
  steps?: string;
}
