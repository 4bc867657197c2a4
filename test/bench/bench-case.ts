/** The sizes and durations of a run of the bench. */
export interface BenchScale {
  rounds: number;
  /** Seconds of load, per round and side. */
  seconds: number;
  /** Sequential requests, per round and side. */
  requests: number;
  records: number;
  /** Messages of the log, and records, in the largest data set. */
  manyRows: number;
  /** Functions in the generated workspace. */
  functions: number;
  /** Connections with a sync. */
  growthConnections: number;
  /** Actions that nobody waits for, in the long queue. */
  queuedActions: number;
  /** Wait before memory is read. */
  idleMs: number;
  /** Additions to a list that grows while it is shown. */
  tailSeconds: number;
}

export interface BenchRow {
  what: string;
  /** Empty for a plain number. */
  unit: 'ms' | '/s' | 'MB' | '%' | '';
  ours: number;
  baseline?: number;
  /** In words; empty when the figure has no goal and is shown for scale. */
  goal: string;
  isMet?: boolean;
}

export interface BenchCase {
  name: string;
  run(scale: BenchScale): Promise<BenchRow[]>;
}

export const FULL_SCALE: BenchScale = {
  rounds: 3,
  seconds: 1.5,
  requests: 200,
  records: 50_000,
  manyRows: 1_000_000,
  functions: 6_000,
  growthConnections: 10_000,
  queuedActions: 1_000,
  idleMs: 10_000,
  tailSeconds: 15,
};
/** Every case in two minutes, to try it. Its figures are not reliable, and goals of large sizes are not tested. */
export const QUICK_SCALE: BenchScale = {
  rounds: 1,
  seconds: 1,
  requests: 30,
  records: 3_000,
  manyRows: 20_000,
  functions: 200,
  growthConnections: 300,
  queuedActions: 100,
  idleMs: 1_000,
  tailSeconds: 2,
};
