import type { CallSync } from '../guest-link.ts';
import { Buffer } from './buffer-global.ts';
import { silentConsole } from './function-console.ts';
import type { GuestTimers } from './guest-timers.ts';
import { atob, btoa, TextDecoder, TextEncoder } from './text-coding.ts';
import type { UrlClass } from './url-class.ts';
import { URLSearchParams } from './url-search-params.ts';

/** Globals of a plain V8 context that functions must not have: shared memory, machine code. */
const REMOVED = ['WebAssembly', 'SharedArrayBuffer', 'Atomics'];

/** Called in each context, because V8 adds these to every one that it makes from the start-up snapshot. */
export function removeUnsafeGlobals(): void {
  for (let index = 0; index < REMOVED.length; index++) Reflect.deleteProperty(globalThis, REMOVED[index] as string);
  Error.stackTraceLimit = 50;
}

/** Everything else is part of the snapshot. */
export function installGlobals(options: {
  timers: GuestTimers;
  callSync: CallSync;
  URL: UrlClass;
  /** Called when the function creates a FinalizationRegistry. */
  onFinalizers: () => void;
}): void {
  const { timers, callSync, URL, onFinalizers } = options;
  forbidCodeFromText();
  watchFinalizers(onFinalizers);
  setGlobals({
    Buffer,
    URL,
    URLSearchParams,
    TextEncoder,
    TextDecoder,
    atob,
    btoa,
    console: silentConsole(),
    setTimeout: timers.setTimeout,
    clearTimeout: timers.clearTimeout,
    structuredClone: (value: unknown) => callSync('clone', value),
    queueMicrotask: (callback: () => void) => void Promise.resolve().then(callback),
    eval: () => refuse(),
  });
}

function setGlobals(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
}

/**
 * isolated-vm allows code generation in its contexts, whatever V8's flag says. The four constructors that compile text
 * can be reached only through their prototypes, so they are replaced there.
 */
function forbidCodeFromText(): void {
  const prototypes = [() => {}, async () => {}, function* () {}, async function* () {}].map(
    (sample) => Object.getPrototypeOf(sample) as object,
  );
  for (const prototype of prototypes) {
    const blocked = function Function(): never {
      return refuse();
    };
    Object.defineProperty(blocked, 'prototype', { value: prototype });
    Object.defineProperty(prototype, 'constructor', { value: blocked, writable: false, configurable: false });
    if (prototype === Function.prototype) setGlobals({ Function: blocked });
  }
}

/**
 * Afterwards the original class cannot be reached: its prototype and the global both lead to the replacement that
 * reports the use.
 */
function watchFinalizers(onFinalizers: () => void): void {
  const Original = FinalizationRegistry;
  const { construct } = Reflect;
  const watched = new Proxy(Original, {
    construct(target, args, newTarget) {
      onFinalizers();
      return construct(target, args, newTarget);
    },
  });
  Object.defineProperty(Original.prototype, 'constructor', { value: watched, writable: true, configurable: true });
  setGlobals({ FinalizationRegistry: watched });
}

function refuse(): never {
  throw new EvalError('Code generation from strings is not allowed');
}
