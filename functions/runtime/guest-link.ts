import type { z } from 'zod';
import type { GuestContext, HostMethod, HostMethods, WireError } from './bridge.ts';
import type { describedParts } from './raw-definition.ts';

/**
 * The border between an isolate and the worker that holds it. Only functions and plain data cross: the worker hands
 * over two callbacks, the guest answers with one dispatch function.
 */

/** What the guest sends without waiting for an answer. */
export interface GuestMessages {
  call: [id: number, method: HostMethod, args: HostMethods[HostMethod]['args']];
  logs: [id: number, entries: unknown[]];
  timer: [id: number, delayMs: number];
  clearTimer: [id: number];
  /** The function made a FinalizationRegistry. */
  finalizers: [];
  done: [result: GuestResult];
}
export type Send = <K extends keyof GuestMessages>(kind: K, ...args: GuestMessages[K]) => void;

/** How a task ended inside the isolate. `text` is JSON. */
export type GuestResult = { ok: true; text: string } | { ok: false; error: WireError };

/** Pure functions of the worker's Node that the guest may call in passing. */
export interface SyncMethods {
  hash: { args: [algorithm: string, data: Uint8Array]; result: Uint8Array };
  hmac: { args: [algorithm: string, key: Uint8Array, data: Uint8Array]; result: Uint8Array };
  randomBytes: { args: [size: number]; result: Uint8Array };
  randomUUID: { args: []; result: string };
  parseUrl: { args: [input: string, base: string | undefined]; result: UrlParts | null };
  setUrlPart: { args: [href: string, part: string, value: string]; result: UrlParts };
  /** A structured clone: crossing the border copies. */
  clone: { args: [value: unknown]; result: unknown };
}
export type CallSync = <K extends keyof SyncMethods>(
  method: K,
  ...args: SyncMethods[K]['args']
) => SyncMethods[K]['result'];

/** How a sync method comes back: as a value even when it failed, for a thrown error would carry the worker's stack. */
type SyncAnswer = { ok: true; value: unknown } | { ok: false; name: string; message: string };
export type AnswerSync = (method: string, ...args: unknown[]) => SyncAnswer;

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

/** What became of each of the `parts`, in their order. */
export type DescribedPart = z.output<typeof describedParts>[number];

/** A bundle, wrapped as a CommonJS function by the worker. */
export type BundleFactory = (
  exports: object,
  require: (name: string) => unknown,
  module: { exports: unknown },
  fileName: string,
  directory: string,
) => void;

export interface GuestTask {
  /** The file name that stack lines of the bundle carry. */
  fileName: string;
  /** Absent to describe the bundle only. */
  context?: GuestContext;
  /** Describe these: the bundle exports a list of factories, one per file name. */
  parts?: string[];
  /** JSON text of the input or payload. */
  input?: string;
}

/** What the worker asks of the guest. */
export interface GuestCommands {
  start: [factory: BundleFactory, task: GuestTask];
  result: [id: number, ok: boolean, value: unknown];
  timer: [id: number];
  ping: [];
}
export type Dispatch = <K extends keyof GuestCommands>(kind: K, ...args: GuestCommands[K]) => void;
export type Boot = (send: Send, answerSync: AnswerSync) => Dispatch;

/** Name under which the start-up snapshot leaves `Boot` on the global object; booting removes it. */
export const BOOT_NAME = '__homeport_boot';
/** As above, for the function that is run once while the snapshot is made. */
export const WARM_UP_NAME = '__homeport_warm_up';
