import type { GuestContext } from '../bridge.ts';
import type { HostCalls } from '../host-calls.ts';
import type { FunctionLog } from './function-log.ts';

/** Values that the members of the context object share during one run. */
export interface GuestRun {
  readonly context: GuestContext;
  readonly host: HostCalls;
  readonly log: FunctionLog;
  /** Milliseconds since the epoch. Uses `Date` as it was before author code could change it. */
  readonly now: () => number;
}

/** Members of the context object, by name. */
export type Members = Record<string, unknown>;
