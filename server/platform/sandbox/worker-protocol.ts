import type { GuestLogEntry, HostMethod, RunOutcome, WireError } from '../../../functions/runtime/bridge.ts';
import type { GuestTask } from '../../../functions/runtime/guest-link.ts';

/**
 * Times of design.md 7.58, counted while the computer is awake: how often a worker reports that it is alive, after
 * which silence it gets no new runs, and after which it is ended.
 */
export const WORKER_HEARTBEAT_MS = 1_000;
export const WORKER_SILENT_MS = 10_000;
export const WORKER_DEAD_MS = 30_000;

/** Messages between the server and a worker process. Node's structured clone carries them, so bytes stay bytes. */

export interface WorkerSettings {
  guestCode: string;
  /** Start-up snapshot of that code; without it the worker makes one. */
  guestSnapshot?: Uint8Array;
  /** Isolates kept ready for functions without an isolate of their own, about 5 MB each. */
  warmIsolates: number;
  /** Memory limit of the isolates kept ready; a run with another limit needs a new isolate. */
  memoryMb: number;
  /** Most runs of one function that an isolate serves, one after the other, each in a context of its own. */
  runsPerIsolate: number;
  /** Processor time that a function may use before it must release the isolate once, in milliseconds. */
  sliceMs: number;
  /** How often a running run is reported alive, in milliseconds. */
  aliveEveryMs: number;
}

export interface TaskLimits {
  timeoutMs: number;
  memoryMb: number;
  outputBytes: number;
  /** Largest message between the function and its host, in both directions, in bytes. */
  messageBytes: number;
}

export type ToWorker =
  | { kind: 'init'; settings: WorkerSettings }
  | { kind: 'bundle'; key: string; code: string; fileName: string }
  | { kind: 'drop'; key: string }
  | { kind: 'run'; run: number; bundle: string; task: GuestTask; limits: TaskLimits; measuresMemory: boolean }
  | { kind: 'abort'; run: number }
  /** With `wantsReceipt` the worker reports when the function has received the value. */
  | { kind: 'result'; run: number; call: number; ok: true; value: unknown; wantsReceipt: boolean }
  | { kind: 'result'; run: number; call: number; ok: false; value: WireError; wantsReceipt: boolean };

export type FromWorker =
  | { kind: 'ready' }
  /** The process itself is alive. */
  | { kind: 'heartbeat' }
  /** `args` is unchecked input of the function: the server reads it by the table of host methods. */
  | { kind: 'call'; run: number; call: number; method: HostMethod; args: unknown }
  /** The function has received the response to its call. */
  | { kind: 'receipt'; run: number; call: number }
  | { kind: 'logs'; run: number; entries: GuestLogEntry[] }
  | { kind: 'alive'; run: number }
  /** `isReused`: its isolate served an earlier run of the same function. */
  | { kind: 'done'; run: number; outcome: RunOutcome; isReused: boolean }
  /** An isolate that V8 lost control of still holds one of the worker's threads: give this worker no new task and replace it. */
  | { kind: 'retire' };
