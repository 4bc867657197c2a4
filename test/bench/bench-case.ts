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
  /** Additional objects in the grown workspace, compared with the small one. */
  growthFunctions: number;
  growthConnections: number;
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
  rounds: 5,
  seconds: 3,
  requests: 300,
  records: 100_000,
  manyRows: 1_000_000,
  functions: 6_000,
  growthFunctions: 2_000,
  growthConnections: 10_000,
  idleMs: 10_000,
  tailSeconds: 60,
};
export const QUICK_SCALE: BenchScale = {
  rounds: 1,
  seconds: 1,
  requests: 50,
  records: 5_000,
  manyRows: 30_000,
  functions: 2_000,
  growthFunctions: 200,
  growthConnections: 1_000,
  idleMs: 2_000,
  tailSeconds: 10,
};
