import type { GuestLogEntry, HostMethod, RunOutcome, WireError } from '../../functions/runtime/bridge.ts';
import type { GuestTask } from '../../functions/runtime/guest-link.ts';

/** Messages between the server and a worker process. Node's structured clone carries them, so bytes stay bytes. */

export interface WorkerSettings {
  guestCode: string;
  /** Of that code, where one was stored; else the worker makes it. */
  guestSnapshot?: Uint8Array;
  /** Isolates kept ready for functions that did not run lately, each about 5 MB. */
  warmIsolates: number;
  /** Memory limit of the isolates kept ready; another limit costs a start. */
  memoryMb: number;
  /** Most runs of one function that an isolate serves, one after the other, each in a context of its own. */
  runsPerIsolate: number;
  /** Processor time that a function may use without giving the isolate back once. */
  sliceMs: number;
  /** How often a run that goes on is reported alive. */
  aliveEveryMs: number;
}

export interface TaskLimits {
  timeoutMs: number;
  memoryMb: number;
  outputBytes: number;
  /** Largest message between the function and its host, either way. */
  messageBytes: number;
}

export type ToWorker =
  | { kind: 'init'; settings: WorkerSettings }
  | { kind: 'bundle'; key: string; code: string; fileName: string }
  | { kind: 'forget'; key: string }
  | { kind: 'run'; run: number; bundle: string; task: GuestTask; limits: TaskLimits; measuresMemory: boolean }
  | { kind: 'abort'; run: number }
  /** `wantsReceipt`: the worker says when the function has the value. */
  | { kind: 'result'; run: number; call: number; ok: true; value: unknown; wantsReceipt: boolean }
  | { kind: 'result'; run: number; call: number; ok: false; value: WireError; wantsReceipt: boolean };

export type FromWorker =
  | { kind: 'ready' }
  /** `args` is whatever the function sent: the server reads it by the table of host methods. */
  | { kind: 'call'; run: number; call: number; method: HostMethod; args: unknown }
  /** The function has the answer to its call. */
  | { kind: 'receipt'; run: number; call: number }
  | { kind: 'logs'; run: number; entries: GuestLogEntry[] }
  | { kind: 'alive'; run: number }
  /** `isReused`: its isolate served an earlier run of the same function. */
  | { kind: 'done'; run: number; outcome: RunOutcome; isReused: boolean }
  /** A dead isolate still holds one of the worker's threads: give this worker nothing new and replace it. */
  | { kind: 'retire' };
