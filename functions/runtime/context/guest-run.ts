import type { GuestContext } from '../bridge.ts';
import type { HostCalls } from '../host-calls.ts';
import type { FunctionLog } from './function-log.ts';

/** What the members of the context object share in one run. */
export interface GuestRun {
  readonly context: GuestContext;
  readonly host: HostCalls;
  readonly log: FunctionLog;
  /** Milliseconds since the epoch, taken before author code could change `Date`. */
  readonly now: () => number;
}

/** Members of the context object, by name. */
export type Members = Record<string, unknown>;
