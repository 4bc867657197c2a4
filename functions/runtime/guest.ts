import type { GuestContext, WireError } from './bridge.ts';
import { createContextObject } from './context/context-object.ts';
import { FunctionLog } from './context/function-log.ts';
import { describeDefinition } from './describe-definition.ts';
import { printFromConsole } from './globals/function-console.ts';
import { GuestTimers } from './globals/guest-timers.ts';
import { installGlobals, removeUnsafeGlobals } from './globals/install-globals.ts';
import { createUrlClass } from './globals/url-class.ts';
import {
  BOOT_NAME,
  type Boot,
  type BundleFactory,
  type Dispatch,
  type GuestCommands,
  type GuestTask,
  type RespondSync,
  type Send,
  WARM_UP_NAME,
} from './guest-link.ts';
import { HostCalls } from './host-calls.ts';
import { type Definition, loadDefinition } from './load-definition.ts';
import { createRequire } from './modules/guest-require.ts';
import { utf8Length } from './plain-json.ts';
import {
  DateNow,
  JSONParse,
  JSONStringify,
  PrimordialError,
  ReflectApply,
  ReflectDeleteProperty,
} from './primordials.ts';
import { createCallSync } from './sync-calls.ts';
import { warmUp } from './warm-up.ts';
import { toWire } from './wire-errors.ts';

/** The worker of the isolate, from `boot` on. */
const worker: { send: Send; respondSync: RespondSync } = {
  send: () => {},
  respondSync: () => ({ ok: false, name: 'Error', message: 'The isolate has no worker yet' }),
};
// Without spread, which calls an iterator that author code may have replaced.
const send = ((...message: unknown[]) => ReflectApply(worker.send, undefined, message)) as Send;
const callSync = createCallSync((...call) => ReflectApply(worker.respondSync, undefined, call));
const host = new HostCalls(send);
const timers = new GuestTimers(send);
const URL = createUrlClass(callSync);
const require = createRequire({ callSync, URL });
installGlobals({ timers, callSync, URL, onFinalizers: () => send('finalizers') });

const commands: { [K in keyof GuestCommands]: (...args: GuestCommands[K]) => void } = {
  start: (factory, task) => void runTask(factory, task),
  result: (id, ok, value) => host.settle(id, ok, value),
  timer: (id) => timers.fire(id),
  ping: () => {},
};
const dispatch: Dispatch = (kind, ...args) => ReflectApply(commands[kind], undefined, args);

/**
 * The code above, entry of the code in every isolate, is evaluated once for the start-up snapshot: each run has a
 * context of its own, so what can be made there costs no run anything but memory. `boot` connects one context to its
 * worker. Author code cannot reach any of it afterwards.
 */
const boot: Boot = (toWorker, respondSync) => {
  ReflectDeleteProperty(globalThis, BOOT_NAME);
  ReflectDeleteProperty(globalThis, WARM_UP_NAME);
  worker.send = toWorker;
  worker.respondSync = respondSync;
  removeUnsafeGlobals();
  return dispatch;
};

Object.defineProperty(globalThis, BOOT_NAME, { value: boot, configurable: true });
Object.defineProperty(globalThis, WARM_UP_NAME, { value: () => warmUp(boot), configurable: true });

/** Limit of functions.md 6.3. */
const MAX_OUTPUT_BYTES = 2_097_152;

/**
 * Loads the bundle, then describes or runs it. Anything that is thrown becomes a result. The result is passed on by a
 * call, because a promise would look for a `then` in it.
 */
async function runTask(factory: BundleFactory, task: GuestTask): Promise<void> {
  const log = task.context && new FunctionLog({ host, level: task.context.logLevel, now: DateNow });
  let text: string | undefined;
  let error: WireError | undefined;
  try {
    text = await resultText(factory, task, log);
  } catch (thrown) {
    send('settled');
    error = toWire(thrown, task.fileName);
  }
  await log?.flush();
  send('done', error ? { ok: false, error } : { ok: true, text: text ?? 'null' });
}

async function resultText(factory: BundleFactory, task: GuestTask, log: FunctionLog | undefined): Promise<string> {
  const { fileName, context, input } = task;
  if (log && context?.isCLI) printFromConsole((level, text) => log.printed(level, text));
  const definition = loadDefinition(factory, require, fileName);
  if (!context || !log) return JSONStringify(describeDefinition(definition));
  const nango = createContextObject({ context, host, log, now: DateNow });
  // Awaited here, because returning a promise calls its `then`, which author code may have replaced.
  return await execute(definition, nango, context, input);
}

/** Only actions have an output; returned values of other functions are ignored. */
async function execute(
  definition: Definition,
  nango: object,
  context: GuestContext,
  input: string | undefined,
): Promise<string> {
  const value = input === undefined ? undefined : JSONParse(input);
  const { scriptType } = context;
  if (context.isUndo) {
    await callable(definition, 'undo')(nango, value);
    send('settled');
    return 'null';
  }
  const run = callable(definition, scriptType === 'webhook' ? 'onWebhook' : 'exec');
  const isSync = scriptType !== 'action' && scriptType !== 'webhook';
  const output = await (isSync ? run(nango) : run(nango, scriptType === 'action' ? value || {} : value));
  send('settled');
  return scriptType === 'action' ? outputText(output) : 'null';
}

function callable(definition: Definition, name: 'exec' | 'onWebhook' | 'undo'): (...args: unknown[]) => unknown {
  const member = definition[name];
  if (typeof member !== 'function') throw new PrimordialError(`The function has no '${name}'`);
  return member as (...args: unknown[]) => unknown;
}

function outputText(output: unknown): string {
  const text = JSONStringify(output) ?? 'null';
  const bytes = utf8Length(text);
  if (bytes <= MAX_OUTPUT_BYTES) return text;
  throw new PrimordialError(`The output has ${bytes} bytes; an action may return ${MAX_OUTPUT_BYTES} (2 MB)`);
}
