import { GuestTimers } from './globals/guest-timers.ts';
import { installGlobals } from './globals/install-globals.ts';
import { createUrlClass } from './globals/url-class.ts';
import {
  BOOT_NAME,
  type Boot,
  type Dispatch,
  type GuestCommands,
  type GuestResult,
  WARM_UP_NAME,
} from './guest-link.ts';
import { runTask } from './guest-task.ts';
import { HostCalls } from './host-calls.ts';
import { createRequire } from './modules/guest-require.ts';
import { DateNow, ReflectApply } from './primordials.ts';
import { createCallSync } from './sync-calls.ts';
import { warmUp } from './warm-up.ts';

/**
 * Entry of the code in every isolate. It is evaluated once for the start-up snapshot; `boot` then connects one isolate
 * to its worker. Author code cannot reach any of it afterwards.
 */
const boot: Boot = (send, answerSync) => {
  Reflect.deleteProperty(globalThis, BOOT_NAME);
  Reflect.deleteProperty(globalThis, WARM_UP_NAME);
  const now = DateNow;
  const callSync = createCallSync(answerSync);
  const host = new HostCalls(send);
  const timers = new GuestTimers(send);
  const URL = createUrlClass(callSync);
  const require = createRequire({ callSync, URL });
  installGlobals({ timers, callSync, URL, onFinalizers: () => send('finalizers') });
  const onSettled = (): void => send('settled');
  const onDone = (result: GuestResult): void => send('done', result);
  const commands: { [K in keyof GuestCommands]: (...args: GuestCommands[K]) => void } = {
    start: (factory, task) => void runTask({ factory, task, host, require, now, onSettled, onDone }),
    result: (id, ok, value) => host.settle(id, ok, value),
    timer: (id) => timers.fire(id),
    ping: () => {},
  };
  // Without spread, which calls an iterator that author code may have replaced.
  const dispatch: Dispatch = (kind, ...args) => ReflectApply(commands[kind], undefined, args);
  return dispatch;
};

Object.defineProperty(globalThis, BOOT_NAME, { value: boot, configurable: true });
Object.defineProperty(globalThis, WARM_UP_NAME, { value: () => warmUp(boot), configurable: true });
