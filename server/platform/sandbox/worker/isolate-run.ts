import ivm from 'isolated-vm';
import type { GuestLogEntry, RunFailure, RunOutcome, WireError } from '../../../../functions/runtime/bridge.ts';
import type { GuestCommands, GuestResult, GuestTask } from '../../../../functions/runtime/guest-link.ts';
import { MAX_LEVELS, MAX_MEMBERS, messageSize } from '../../../../functions/runtime/message-size.ts';
import { findJsonExcess, MAX_JSON_DEPTH } from '../../lib/json-limits.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { CallWindow, TOO_MANY_CALLS } from '../call-window.ts';
import {
  describeInvalidMessage,
  InvalidMessageError,
  readGuestResult,
  readId,
  readLogEntries,
  readNumber,
  readWireError,
} from '../guest-messages.ts';
import type { FromWorker, TaskLimits } from '../worker-protocol.ts';
import type { FreshContext, GuestIsolate, GuestMessage } from './isolate-pool.ts';
import type { LoadedBundle } from './loaded-bundle.ts';
import { LogAllowance } from './log-allowance.ts';
import { CHECK_EVERY_MS, RunWatchdog } from './run-watchdog.ts';

/** An ended isolate that still computes after this time is in native code that cannot be stopped. */
const STUCK_AFTER_MS = 5_000;
/** How long a function may still compute after its result, before its isolate is disposed. */
const SETTLE_MS = 100;
/**
 * Measuring the heap takes as long as a short run, so only runs of at least this length are measured, and runs that ask
 * for it.
 */
const MEASURED_FROM_MS = 100;
/** The limit of the guest runtime for waiting timers. */
const MAX_TIMERS = 10_000;

/**
 * In this time of the function's own the result must be handed over after the function has ended (design.md 7.58), and
 * a run that nothing can wake is ended.
 */
const HAND_OVER_MS = 1_000;

type Body<K extends FromWorker['kind']> = Omit<Extract<FromWorker, { kind: K }>, 'run'>;
type RunMessage = Body<'call'> | Body<'logs'> | Body<'alive'> | Body<'done'>;

interface RunOptions {
  guest: GuestIsolate;
  fresh: FreshContext;
  bundle: LoadedBundle;
  task: GuestTask;
  limits: TaskLimits;
  sliceMs: number;
  aliveEveryMs: number;
  now: () => number;
  /** Resolves when the message has left this process. */
  post: (message: RunMessage) => Promise<void>;
  onEnd: () => void;
  /**
   * Called when no timer, call or callback of the run is left, so its isolate may serve the next run. Otherwise the
   * isolate is disposed.
   */
  onReusable: () => void;
  /** The outcome says how much memory the run used, which needs an isolate of its own. */
  measuresMemory: boolean;
  onStuck: () => void;
  /**
   * Called when V8 lost control of the isolate; `report` ends this run after the server knows that the worker will end.
   */
  onCatastrophe: (report: () => void) => void;
}

/** One task in one isolate, from its first line to the disposal of the isolate. */
export class IsolateRun {
  readonly #options: RunOptions;
  readonly #isolate: ivm.Isolate;
  readonly #dispatch: ivm.Reference;
  readonly #timers = new Map<number, NodeJS.Timeout>();
  readonly #window = new CallWindow();
  readonly #logAllowance: LogAllowance;
  readonly #watchdog: RunWatchdog;
  readonly #cpuAtStart: bigint;
  readonly #startedAt: number;
  readonly #settled = Promise.withResolvers<void>();
  #turns = 0;
  #pings = 0;
  /** Between the first line of the function and its result. */
  #isRunning = false;
  /** Batches of log lines that this process has not acknowledged yet. */
  #openLogs = 0;
  /** Checks in a row at which nothing was left that could wake the isolate. */
  #stalledChecks = 0;
  /** Processor time when the author's function had ended. */
  #cpuAtSettled: bigint | undefined;
  #hasEnded = false;
  /** True after anything that a later run in the same isolate could notice. */
  #isTainted = false;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#isolate = options.guest.isolate;
    this.#dispatch = options.fresh.dispatch;
    this.#cpuAtStart = this.#isolate.cpuTime;
    this.#startedAt = options.now();
    this.#logAllowance = new LogAllowance(options.now);
    this.#watchdog = new RunWatchdog({
      isolate: this.#isolate,
      timeoutMs: options.limits.timeoutMs,
      sliceMs: options.sliceMs,
      aliveEveryMs: options.aliveEveryMs,
      ping: () => this.#ping(),
      onTimeout: () => this.#fail({ kind: 'timeout' }),
      onMemory: () => this.#fail({ kind: 'memory' }),
      onAlive: () => void options.post({ kind: 'alive' }),
      onCheck: () => this.#endWhenStalled(),
    });
    options.fresh.listen((message) => this.#receive(message));
    options.guest.onCatastrophe = () => options.onCatastrophe(() => this.#fail({ kind: 'memory' }));
  }

  async start(): Promise<void> {
    try {
      const factory = await this.#load();
      const task = new ivm.ExternalCopy(this.#options.task).copyInto({ release: true });
      this.#isRunning = true;
      await this.#apply(['start', factory.derefInto({ release: true }), task], {}).catch(this.#onTurnFailed);
    } catch (error) {
      this.#onLoadFailed(error);
    }
  }

  async #load(): Promise<ivm.Reference> {
    const { bundle, fresh, guest } = this.#options;
    const script = await guest.compile(bundle);
    return script.run(fresh.context, { reference: true });
  }

  abort(): void {
    this.#fail({ kind: 'aborted' });
  }

  /** Passes the host's response to a call on; resolves when the isolate has it. */
  respond(call: number, ok: boolean, value: unknown): Promise<void> {
    this.#window.remove(call);
    const { messageBytes } = this.#options.limits;
    const isTooLarge = messageSize(value, messageBytes) > messageBytes;
    return isTooLarge
      ? this.#turn('result', call, false, tooLarge('response', messageBytes))
      : this.#turn('result', call, ok, value);
  }

  /** isolated-vm ignores what a callback throws, so an invalid message would leave its run hanging. */
  #receive(message: GuestMessage): void {
    // Finalizers run whenever V8 collects, so possibly during a later run.
    if (message[0] === 'finalizers') this.#isTainted = true;
    if (this.#hasEnded) return;
    try {
      this.#handle(message);
    } catch (error) {
      this.#failInvalid(error);
    }
  }

  #failInvalid(error: unknown): void {
    this.#fail({ kind: 'thrown', error: describeInvalidMessage(error) });
  }

  #handle(message: GuestMessage): void {
    switch (message[0]) {
      case 'call':
        return this.#call(message);
      case 'logs':
        return this.#log(readId(message[1], 'a batch of log lines'), readLogEntries(message[2]));
      case 'timer':
        return this.#startTimer(readId(message[1], 'a timer'), readNumber(message[2], 'the delay of a timer'));
      case 'clearTimer':
        return this.#clearTimer(message[1]);
      case 'finalizers':
        return;
      case 'settled':
        this.#cpuAtSettled ??= this.#isolate.cpuTime;
        return;
      case 'done':
        this.#isRunning = false;
        return void this.#finish(readGuestResult(message[1]));
      default:
        throw new InvalidMessageError('unknown kind of message');
    }
  }

  #call([, call, method, args]: Extract<GuestMessage, ['call', ...unknown[]]>): void {
    readId(call, 'a call');
    const { messageBytes } = this.#options.limits;
    const bytes = messageSize(args, messageBytes);
    if (bytes > messageBytes) return void this.#turn('result', call, false, tooLarge('request', messageBytes));
    if (!this.#window.add(call, bytes)) return this.#fail({ kind: 'thrown', error: TOO_MANY_CALLS });
    // Rejects for values that cannot be sent.
    this.#options.post({ kind: 'call', call, method, args }).catch((error: unknown) => this.#failInvalid(error));
  }

  /** Acknowledged after it was sent, which slows down a function that logs faster than the server reads. */
  #log(id: number, entries: GuestLogEntry[]): void {
    if (!this.#window.add(id, messageSize(entries, this.#options.limits.messageBytes)))
      return this.#fail({ kind: 'thrown', error: TOO_MANY_CALLS });
    this.#openLogs++;
    void this.#postLogs(entries).then(() => {
      this.#openLogs--;
      this.#window.remove(id);
      return this.#turn('result', id, true, null);
    });
  }

  async #postLogs(entries: GuestLogEntry[]): Promise<void> {
    const kept = this.#logAllowance.keep(entries);
    if (kept.length > 0) await this.#options.post({ kind: 'logs', entries: kept });
  }

  #startTimer(id: number, delayMs: number): void {
    if (this.#timers.size >= MAX_TIMERS) return this.#fail({ kind: 'thrown', error: TOO_MANY_TIMERS });
    clearTimeout(this.#timers.get(id));
    const fire = (): void => {
      this.#timers.delete(id);
      void this.#turn('timer', id);
    };
    this.#timers.set(id, setTimeout(fire, delayMs));
  }

  #clearTimer(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  async #ping(): Promise<void> {
    this.#pings++;
    await this.#turn('ping');
    this.#pings--;
  }

  /**
   * Ends a run that nothing can wake any more: it waits for no call, no timer and no acknowledgement, and none of its
   * code runs. When its function has ended, only acknowledgements of log lines count, and what it still computes may
   * take little time. Counts checks, which stop while the computer sleeps.
   */
  #endWhenStalled(): void {
    if (!this.#isRunning) return;
    const hasSettled = this.#cpuAtSettled !== undefined;
    const isComputing = this.#turns > this.#pings;
    const isWaiting = hasSettled ? this.#openLogs > 0 : this.#window.isBusy || this.#timers.size > 0;
    if (isComputing && hasSettled && Number(this.#isolate.cpuTime - (this.#cpuAtSettled ?? 0n)) / 1e6 > HAND_OVER_MS)
      return this.#fail({ kind: 'thrown', error: NOT_HANDED_OVER });
    this.#stalledChecks = isComputing || isWaiting ? 0 : this.#stalledChecks + 1;
    if (this.#stalledChecks * CHECK_EVERY_MS < HAND_OVER_MS) return;
    this.#fail({ kind: 'thrown', error: hasSettled ? NOT_HANDED_OVER : NEVER_ENDS });
  }

  /** Gives one message to the isolate and waits until it is handled. Never rejects. */
  async #turn<K extends keyof GuestCommands>(kind: K, ...args: GuestCommands[K]): Promise<void> {
    if (this.#hasEnded) return;
    try {
      await this.#apply([kind, ...args], { arguments: { copy: true } });
    } catch (error) {
      this.#onTurnFailed(error);
    }
  }

  async #apply(args: unknown[], options: ivm.ReferenceApplyOptions): Promise<void> {
    this.#turns++;
    try {
      await this.#dispatch.apply(undefined, args, options);
    } finally {
      this.#turns--;
      if (this.#turns === 0 && this.#hasEnded) this.#settled.resolve();
    }
  }

  #onLoadFailed(error: unknown): void {
    if (this.#isolate.isDisposed) return this.#fail({ kind: 'memory' });
    this.#fail({ kind: 'thrown', error: textOf(error) });
  }

  /** A turn fails when the isolate is disposed, or when author code left an unhandled rejection. */
  readonly #onTurnFailed = (error: unknown): void => {
    this.#isTainted = true;
    if (this.#hasEnded) return;
    if (this.#isolate.isDisposed) return this.#fail({ kind: 'memory' });
    const { name, message } = textOf(error);
    const text = `An error was thrown outside of every awaited call: ${name}: ${message}`;
    const entry: GuestLogEntry = { level: 'warn', message: text, at: this.#options.now(), source: 'internal' };
    if (this.#options.task.context?.logLevel !== 'off') void this.#postLogs([entry]);
  };

  async #finish(result: GuestResult): Promise<void> {
    const usage = { cpuMs: this.#cpuMs(), memoryBytes: await this.#memoryBytes() };
    if (!result.ok) return this.#end({ ok: false, failure: { kind: 'thrown', error: result.error }, ...usage });
    const bytes = Buffer.byteLength(result.text);
    const isTooLarge = bytes > this.#options.limits.outputBytes;
    if (isTooLarge) return this.#end({ ok: false, failure: { kind: 'output_too_large', bytes }, ...usage });
    // The output of a run is inserted into responses without parsing it.
    const isInvalid = this.#options.task.context !== undefined && parseJson(result.text) === undefined;
    if (isInvalid) {
      const isDeep = findJsonExcess(result.text) === 'levels';
      const reason = isDeep ? `its output nests more than ${MAX_JSON_DEPTH} levels` : 'its output is not JSON';
      return this.#fail({ kind: 'thrown', error: describeInvalidMessage(new InvalidMessageError(reason)) });
    }
    this.#end({ ok: true, output: result.text, ...usage });
  }

  #fail(failure: RunFailure): void {
    this.#isTainted = true;
    this.#end({ ok: false, failure, cpuMs: this.#cpuMs(), memoryBytes: 0 });
  }

  /** 0 when it is not measured. In a reused isolate it includes what earlier runs left. */
  async #memoryBytes(): Promise<number> {
    const { measuresMemory, now } = this.#options;
    if (!measuresMemory && now() - this.#startedAt < MEASURED_FROM_MS) return 0;
    try {
      const heap = await this.#isolate.getHeapStatistics();
      return heap.used_heap_size + heap.externally_allocated_size;
    } catch {
      // The run was aborted meanwhile and its isolate disposed.
      return 0;
    }
  }

  #cpuMs(): number {
    return this.#isolate.isDisposed ? 0 : Number(this.#isolate.cpuTime - this.#cpuAtStart) / 1e6;
  }

  #end(outcome: RunOutcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#watchdog.stop();
    const hasLeftovers = this.#timers.size > 0 || this.#window.isBusy;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    const sent = this.#options.post({ kind: 'done', outcome, isReused: this.#options.guest.isReused });
    this.#options.onEnd();
    if (this.#options.measuresMemory || hasLeftovers || this.#isTainted) void this.#dispose(sent);
    else void this.#settle(sent);
  }

  /** Author code may continue after its result until its turn ends. Only then is known what it left behind. */
  async #settle(sent: Promise<void>): Promise<void> {
    if (this.#turns > 0) {
      const limit = setTimeout(() => this.#settled.resolve(), SETTLE_MS);
      await this.#settled.promise;
      clearTimeout(limit);
    }
    if (this.#turns > 0 || this.#isTainted) await this.#dispose(sent);
    else this.#options.onReusable();
  }

  async #dispose(sent: Promise<void>): Promise<void> {
    if (this.#turns > 0) setTimeout(() => this.#turns > 0 && this.#options.onStuck(), STUCK_AFTER_MS).unref();
    // Waits until the message is sent, because disposing an isolate that V8 lost control of never returns.
    await sent;
    this.#options.guest.dispose();
  }
}

function textOf(error: unknown): WireError {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  return readWireError({ name, message });
}

const TOO_MANY_TIMERS: WireError = {
  name: 'Error',
  message: `A function may have ${MAX_TIMERS} timers waiting; this one set more`,
  code: 'too_many_timers',
};

const BUILT_INS = 'Check whether it, or a package in it, changes built-in objects such as Array.prototype';
const NOT_HANDED_OVER: WireError = {
  name: 'Error',
  message: `The function has ended, but its result could not be handed over within ${HAND_OVER_MS} ms. ${BUILT_INS}`,
  code: 'result_not_handed_over',
};
const NEVER_ENDS: WireError = {
  name: 'Error',
  message: `The function waits for a promise that nothing can settle: no call, no timer and no code of it is left. ${BUILT_INS}`,
  code: 'function_never_ends',
};

function tooLarge(what: 'request' | 'response', limit: number): WireError {
  const message =
    `The ${what} is too large: a function may exchange ${limit} bytes, ${MAX_MEMBERS} members and ${MAX_LEVELS} levels ` +
    'at once with its host';
  return { name: 'Error', message, code: 'message_too_large' };
}
