import type {
  DryRunMethod,
  GuestLogEntry,
  HostMethod,
  HostMethods,
  HostTable,
} from '../../../functions/runtime/bridge.ts';
import { isSuccessStatus } from '../../platform/lib/success-status.ts';
import { refusedByProvider } from '../../platform/sandbox/refused-request.ts';
import type { RunHost } from '../../platform/sandbox/sandbox-task.ts';
import type { CollectedRecords } from './collected-records.ts';
import { MemoryHost } from './memory-host.ts';
import type { ProviderRequestSender } from './provider-request-sender.ts';

/** Host methods that a local run needs from a hub or from a recording. Provider requests use `ProviderRequestSender`. */
export type LocalMethods = Pick<HostTable, Exclude<DryRunMethod<'real' | 'own'>, 'http.request'>>;

export interface LocalHostOptions {
  sender: ProviderRequestSender;
  /** A missing method was not recorded, and a call of it throws. */
  methods: Partial<LocalMethods>;
  /** Checkpoint from which the run starts. */
  checkpoint?: Record<string, unknown> | null;
  onLog(entry: GuestLogEntry): void;
  /** If false, responses outside 2xx are returned, as by the mock classes (functions.md 8.4). Default true. */
  throwsOnRefusal?: boolean;
}

/**
 * Host of a run outside the hub: provider requests use its sender, and everything that would be stored stays in memory
 * (functions.md 8.2).
 */
export class LocalHost implements RunHost {
  readonly #options: LocalHostOptions;
  readonly #table: Partial<HostTable>;
  readonly #memory: MemoryHost;

  constructor(options: LocalHostOptions) {
    this.#options = options;
    this.#memory = new MemoryHost(options.checkpoint ?? null);
    this.#table = {
      ...options.methods,
      ...this.#memory.methods(),
      'http.request': (request, signal) => this.#send(request, signal),
    };
  }

  /** The checkpoint at the end of the run. */
  get checkpoint(): Record<string, unknown> | null {
    return this.#memory.checkpoint;
  }

  get records(): CollectedRecords {
    return this.#memory.records;
  }

  async call<M extends HostMethod>(
    method: M,
    args: HostMethods[M]['args'],
    signal: AbortSignal,
  ): Promise<HostMethods[M]['result']> {
    const implementation = this.#table[method];
    if (!implementation) throw new Error(`Missing mock data for ${method}`);
    return implementation(args, signal);
  }

  log(entries: GuestLogEntry[]): void {
    for (const entry of entries) this.#options.onLog(entry);
  }

  async #send(request: HostMethods['http.request']['args'], signal: AbortSignal) {
    const { sender, throwsOnRefusal = true } = this.#options;
    const response = await sender.send(request, signal);
    const { config, ...plain } = response;
    if (throwsOnRefusal && !isSuccessStatus(response.status)) throw refusedByProvider(plain, config);
    return response;
  }
}
