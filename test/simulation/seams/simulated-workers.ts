import child from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import type {
  GuestContext,
  HostMethod,
  HostMethods,
  RunOutcome,
  WireError,
} from '../../../functions/runtime/bridge.ts';
import type { FromWorker, ToWorker } from '../../../server/platform/sandbox/worker-protocol.ts';
import type { Boot, Machine } from '../machine.ts';
import { versionOf } from './compiled-before.ts';

/** What a function of the simulation asks of its host, as the guest would. */
export interface Guest {
  context: GuestContext;
  /** Of its bundle; see `compiled-before.ts`. */
  version: number;
  input: unknown;
  call<M extends HostMethod>(method: M, args: HostMethods[M]['args']): Promise<HostMethods[M]['result']>;
  log(message: string): void;
}

export type Behaviour = (guest: Guest) => Promise<unknown>;

/** A rejected call, as a function catches it. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly wire: WireError;

  constructor(wire: WireError) {
    super(wire.message);
    this.wire = wire;
  }
}

const HEARTBEAT_MS = 3_000;

/** Function workers inside of this process. They speak the messages of the real ones; what a function does is in a table. */
export class SimulatedWorkers {
  readonly #machine: Machine;
  readonly #behaviours: ReadonlyMap<string, Behaviour>;
  readonly #alive = new Set<Worker>();
  onRun: (change: RunChange) => void = () => {};

  constructor(machine: Machine, behaviours: ReadonlyMap<string, Behaviour>) {
    this.#machine = machine;
    this.#behaviours = behaviours;
    Object.assign(child, { fork: () => this.#fork() });
    // A process without an id is this one.
    Object.assign(os, { setPriority: () => {} });
    syncBuiltinESMExports();
  }

  /** Ends a worker that is at work; false when there is none. */
  killOne(): boolean {
    const busy = [...this.#alive].filter(({ isBusy }) => isBusy);
    if (busy.length === 0) return false;
    this.#machine.random.pick(busy).kill();
    return true;
  }

  get isBusy(): boolean {
    return [...this.#alive].some(({ isBusy }) => isBusy);
  }

  endProcess(): void {
    this.#alive.clear();
  }

  #fork(): Worker {
    const worker = new Worker(this.#machine, this.#behaviours, {
      gone: () => this.#alive.delete(worker),
      run: (change) => this.onRun(change),
    });
    this.#alive.add(worker);
    return worker;
  }
}

/** A run begins, or ends in whatever way. */
export interface RunChange {
  context: GuestContext;
  fileName: string;
  version: number;
  isStart: boolean;
}

interface Run extends Omit<RunChange, 'isStart'> {
  calls: Map<number, PromiseWithResolvers<unknown>>;
  isOver: boolean;
}

class Worker extends EventEmitter {
  readonly pid = undefined;
  connected = true;
  readonly stderr = null;
  readonly #machine: Machine;
  readonly #boot: Boot;
  readonly #behaviours: ReadonlyMap<string, Behaviour>;
  readonly #on: { gone: () => void; run: (change: RunChange) => void };
  readonly #bundles = new Map<string, { fileName: string; version: number }>();
  readonly #runs = new Map<number, Run>();
  #nextCall = 1;
  /** Messages in each direction keep their order. */
  readonly #inbound = {};
  readonly #outbound = {};

  constructor(
    machine: Machine,
    behaviours: ReadonlyMap<string, Behaviour>,
    on: { gone: () => void; run: (change: RunChange) => void },
  ) {
    super();
    this.#machine = machine;
    this.#boot = machine.boot;
    this.#behaviours = behaviours;
    this.#on = on;
    this.#beat();
  }

  get isBusy(): boolean {
    return this.#runs.size > 0;
  }

  send(message: ToWorker, callback?: (error: Error | null) => void): boolean {
    this.#deliver(this.#inbound, message.kind, () => this.#receive(message));
    if (callback) process.nextTick(callback, null);
    return true;
  }

  kill(): boolean {
    if (!this.connected) return true;
    this.connected = false;
    this.#on.gone();
    for (const run of this.#runs.values()) this.#over(run);
    this.#runs.clear();
    this.#machine.later(this.#outbound, () => {
      if (this.#boot.isOn) this.emit('exit', null, 'SIGKILL');
    });
    return true;
  }

  #beat(): void {
    this.#machine.clock.after(HEARTBEAT_MS, () => {
      if (!this.connected || !this.#boot.isOn) return;
      this.emit('message', { kind: 'heartbeat' });
      this.#beat();
    });
  }

  /** A message that fails ends the worker: the channel is broken. */
  #deliver(direction: object, label: string, work: () => void): void {
    this.#machine.later(direction, () => {
      if (!this.#boot.isOn || !this.connected) return;
      try {
        this.#boot.call('message', label, work, () => new Error('broken channel'));
      } catch {
        this.kill();
      }
    });
  }

  #post(message: FromWorker): void {
    this.#deliver(this.#outbound, message.kind, () => this.emit('message', message));
  }

  #receive(message: ToWorker): void {
    switch (message.kind) {
      case 'init':
        return this.#post({ kind: 'ready' });
      case 'bundle':
        this.#bundles.set(message.key, { fileName: message.fileName, version: versionOf(message.code) });
        return;
      case 'drop':
        this.#bundles.delete(message.key);
        return;
      case 'run':
        void this.#run(message);
        return;
      case 'abort':
        this.#end(message.run, { ok: false, failure: { kind: 'aborted' }, cpuMs: 0, memoryBytes: 0 });
        return;
      case 'result': {
        const call = this.#runs.get(message.run)?.calls.get(message.call);
        if (message.wantsReceipt) this.#post({ kind: 'receipt', run: message.run, call: message.call });
        if (message.ok) call?.resolve(message.value);
        else call?.reject(new CallRefused(message.value));
      }
    }
  }

  async #run({ run: id, bundle, task }: Extract<ToWorker, { kind: 'run' }>): Promise<void> {
    const { fileName = '', version = 0 } = this.#bundles.get(bundle) ?? {};
    const behaviour = this.#behaviours.get(fileName);
    if (!behaviour || !task.context) throw new Error(`the simulation has no function ${fileName}`);
    const run: Run = { context: task.context, fileName, version, calls: new Map(), isOver: false };
    this.#runs.set(id, run);
    this.#on.run({ ...run, isStart: true });
    const guest: Guest = {
      version,
      context: task.context,
      input: task.input === undefined ? undefined : JSON.parse(task.input),
      log: (message) => {
        if (!run.isOver)
          this.#post({ kind: 'logs', run: id, entries: [{ level: 'info', message, at: this.#machine.clock.now() }] });
      },
      call: <M extends HostMethod>(method: M, args: HostMethods[M]['args']) => {
        const pending = Promise.withResolvers<unknown>();
        const call = this.#nextCall++;
        run.calls.set(call, pending);
        // The promise of a run that is over stays open, as that of an isolate that is gone.
        if (!run.isOver) this.#post({ kind: 'call', run: id, call, method, args });
        return pending.promise as Promise<HostMethods[M]['result']>;
      },
    };
    try {
      const output = await behaviour(guest);
      this.#end(id, { ok: true, output: JSON.stringify(output ?? null), cpuMs: 1, memoryBytes: 0 });
    } catch (error) {
      const { message, stack: _, ...rest } = error as Error;
      const wire: WireError = error instanceof CallRefused ? error.wire : { ...rest, name: 'Error', message };
      this.#end(id, { ok: false, failure: { kind: 'thrown', error: wire }, cpuMs: 1, memoryBytes: 0 });
    }
  }

  #over(run: Run): void {
    run.isOver = true;
    this.#on.run({ ...run, isStart: false });
  }

  #end(id: number, outcome: RunOutcome): void {
    const run = this.#runs.get(id);
    if (!run || run.isOver) return;
    this.#over(run);
    this.#runs.delete(id);
    this.#post({ kind: 'done', run: id, outcome, isReused: false });
  }
}
