import type {
  GuestContext,
  GuestLogEntry,
  HostMethod,
  HostMethods,
  RunOutcome,
} from '../../../functions/runtime/bridge.ts';
import { CallWindow } from './call-window.ts';
import type { TaskLimits } from './worker-protocol.ts';

export interface Bundle {
  /** Hash of the code; equal hashes mean equal code. */
  hash: string;
  code: string;
  /** `<function>-<integration>.cjs`, the name in stack lines. */
  fileName: string;
}

export interface RunSpec {
  runId: string;
  functionName: string;
  bundle: Bundle;
  context: GuestContext;
  /** JSON text of the input of an action or the payload of a webhook. */
  input?: string;
  limits: TaskLimits;
  /** A run that waits longer for a slot fails as `not_started`. Default: no limit. */
  startWithinMs?: number;
  /** Ends the run at once: the isolate is disposed and its calls to the host are aborted. */
  signal: AbortSignal;
  /** Number of runs that wait for this one, each for the next (`triggerAction`). Default 0. */
  depth?: number;
  /**
   * The outcome says how much memory the run used; the run then needs an isolate of its own. Default: the outcome says
   * 0.
   */
  measuresMemory?: boolean;
}

/** A bundle to describe without running it. */
interface DescribeSpec {
  bundle: Bundle;
  limits: TaskLimits;
}

/**
 * The server's responses to calls of a run. A call that rejects with a `HostCallError` determines what the function
 * catches.
 */
export interface RunHost {
  call<M extends HostMethod>(
    method: M,
    args: HostMethods[M]['args'],
    signal: AbortSignal,
  ): Promise<HostMethods[M]['result']>;
  log(entries: GuestLogEntry[]): void;
  /**
   * Returns a function that releases the memory of a response, to be called when the function has received it;
   * undefined when the response holds no reserved memory.
   */
  releaseOf?(response: unknown): (() => void) | undefined;
}

/** A run or a description while it is in the sandbox. */
export class SandboxTask {
  readonly id: number;
  /** Name in the program's own log. */
  readonly label: string;
  readonly bundle: Bundle;
  readonly limits: TaskLimits;
  readonly context: GuestContext | undefined;
  readonly input: string | undefined;
  readonly host: RunHost;
  readonly depth: number;
  readonly measuresMemory: boolean;
  /** Partitions take turns. The tasks of one function on one level are a partition. */
  readonly partition: string;
  /** Among equally busy partitions, the one whose integration has the fewest running tasks is next. */
  readonly integration: string;
  /** A background task leaves some slots to tasks with a waiting caller. */
  readonly isBackground: boolean;
  readonly outcome: Promise<RunOutcome>;
  /** Aborts the run's open calls to the host. */
  readonly calls = new AbortController();
  /** Calls of the run that the server accepted and has not answered yet. */
  readonly window = new CallWindow();
  /** By call: releases the memory of a response that the worker has not delivered yet. */
  readonly releases = new Map<number, () => void>();
  readonly #resolve: (outcome: RunOutcome) => void;
  #hasEnded = false;

  constructor(id: number, host: RunHost, spec: DescribeSpec & Partial<RunSpec>) {
    const { promise, resolve } = Promise.withResolvers<RunOutcome>();
    this.id = id;
    this.label = `${spec.functionName ?? spec.bundle.fileName} ${spec.runId ?? '(describe)'}`;
    this.host = host;
    this.bundle = spec.bundle;
    this.limits = spec.limits;
    this.context = spec.context;
    this.input = spec.input;
    this.depth = spec.depth ?? 0;
    this.measuresMemory = spec.measuresMemory ?? false;
    this.integration = spec.context ? `${spec.context.environmentId} ${spec.context.providerConfigKey}` : 'describe';
    this.partition = `${this.integration} ${spec.context?.scriptType} ${spec.functionName} ${this.depth}`;
    this.isBackground = spec.context?.scriptType === 'sync' || spec.context?.scriptType === 'webhook';
    this.outcome = promise;
    this.#resolve = resolve;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  end(outcome: RunOutcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#resolve(outcome);
    this.calls.abort(new Error('The run has ended.'));
  }
}
