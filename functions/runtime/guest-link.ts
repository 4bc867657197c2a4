import type { GuestContext, HostMethod, HostMethods, WireError } from './bridge.ts';

/**
 * The interface between an isolate and its worker. Only functions and plain data are passed: the worker provides two
 * callbacks, the guest returns one dispatch function.
 */

/** Messages that the guest sends without waiting for a response. */
export interface GuestMessages {
  call: [id: number, method: HostMethod, args: HostMethods[HostMethod]['args']];
  logs: [id: number, entries: unknown[]];
  timer: [id: number, delayMs: number];
  clearTimer: [id: number];
  /** The function created a FinalizationRegistry. */
  finalizers: [];
  /** The author's function has ended; only its log lines are awaited before `done`. */
  settled: [];
  done: [result: GuestResult];
}
export type Send = <K extends keyof GuestMessages>(kind: K, ...args: GuestMessages[K]) => void;

/** How a task ended inside the isolate. `text` is JSON. */
export type GuestResult = { ok: true; text: string } | { ok: false; error: WireError };

/** Functions of the worker's Node without side effects, which the guest may call synchronously. */
export interface SyncMethods {
  hash: { args: [algorithm: string, data: Uint8Array]; result: Uint8Array };
  hmac: { args: [algorithm: string, key: Uint8Array, data: Uint8Array]; result: Uint8Array };
  randomBytes: { args: [size: number]; result: Uint8Array };
  randomUUID: { args: []; result: string };
  parseUrl: { args: [input: string, base: string | undefined]; result: UrlParts | null };
  setUrlPart: { args: [href: string, part: string, value: string]; result: UrlParts };
  /** A structured clone: passing a value over the interface copies it. */
  clone: { args: [value: unknown]; result: unknown };
}
export type CallSync = <K extends keyof SyncMethods>(
  method: K,
  ...args: SyncMethods[K]['args']
) => SyncMethods[K]['result'];

/**
 * Response of a sync method. A failure is returned as a value, because a thrown error would contain the worker's stack.
 */
type SyncResult = { ok: true; value: unknown } | { ok: false; name: string; message: string };
export type RespondSync = (method: string, ...args: unknown[]) => SyncResult;

export const URL_PARTS = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;
export type UrlParts = Record<(typeof URL_PARTS)[number], string>;

/** A bundle that the worker has wrapped as a CommonJS function. */
export type BundleFactory = (
  exports: object,
  require: (name: string) => unknown,
  module: { exports: unknown },
  fileName: string,
  directory: string,
) => void;

export interface GuestTask {
  /** The file name in stack lines of the bundle. */
  fileName: string;
  /** Missing when the bundle is only described. */
  context?: GuestContext;
  /** JSON text of the input or payload. */
  input?: string;
}

/** Commands of the worker to the guest. */
export interface GuestCommands {
  start: [factory: BundleFactory, task: GuestTask];
  result: [id: number, ok: boolean, value: unknown];
  timer: [id: number];
  ping: [];
}
export type Dispatch = <K extends keyof GuestCommands>(kind: K, ...args: GuestCommands[K]) => void;
export type Boot = (send: Send, respondSync: RespondSync) => Dispatch;

/** Name of `Boot` on the global object in the start-up snapshot. Booting removes it. */
export const BOOT_NAME = '__homeport_boot';
/** The same for the function that runs once while the snapshot is made. */
export const WARM_UP_NAME = '__homeport_warm_up';
