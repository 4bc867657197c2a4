import type {
  DryRunMethod,
  GuestLogEntry,
  HostMethod,
  HostMethods,
  HostTable,
} from '../../functions/runtime/bridge.ts';
import { refusedByProvider } from '../sandbox/refused-request.ts';
import type { RunHost } from '../sandbox/sandbox-task.ts';
import type { CollectedRecords } from './collected-records.ts';
import { MemoryHost } from './memory-host.ts';
import type { ProviderExit } from './provider-exit.ts';

/** What a local run asks of its surroundings: of a hub, or of a recording. Provider requests take their own way. */
export type LocalMethods = Pick<HostTable, Exclude<DryRunMethod<'real' | 'own'>, 'http.request'>>;

export interface LocalHostOptions {
  exit: ProviderExit;
  /** A method that is missing was not recorded, and throws. */
  methods: Partial<LocalMethods>;
  /** Where the run starts. */
  checkpoint?: Record<string, unknown> | null;
  onLog(entry: GuestLogEntry): void;
  /** False lets answers outside 2xx return, as the mock classes do (functions.md 8.4). Default true. */
  throwsOnRefusal?: boolean;
}

/** The host of a run outside the hub: providers by its exit, everything that is stored only in memory (functions.md 8.2). */
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

  /** As the run left it. */
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
    const answer = this.#table[method];
    if (!answer) throw new Error(`Missing mock data for ${method}`);
    return answer(args, signal);
  }

  log(entries: GuestLogEntry[]): void {
    for (const entry of entries) this.#options.onLog(entry);
  }

  async #send(request: HostMethods['http.request']['args'], signal: AbortSignal) {
    const { exit, throwsOnRefusal = true } = this.#options;
    const answer = await exit.send(request, signal);
    const { config, ...plain } = answer;
    if (throwsOnRefusal && (answer.status < 200 || answer.status > 299)) throw refusedByProvider(plain, config);
    return answer;
  }
}
