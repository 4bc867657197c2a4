import type { GuestLogEntry, HostMethod, HostMethods } from '../../../functions/runtime/bridge.ts';
import type { CollectedRecords } from '../../dry-run/collected-records.ts';
import { MemoryHost } from '../../dry-run/memory-host.ts';
import { refusedByProvider } from '../../sandbox/refused-request.ts';
import type { RunHost } from '../../sandbox/sandbox-task.ts';
import type { LocalPlace } from './local-place.ts';
import type { ProviderExit } from './provider-exit.ts';

export interface LocalHostOptions {
  exit: ProviderExit;
  place: LocalPlace;
  /** Where the run starts. */
  checkpoint?: Record<string, unknown> | null;
  onLog(entry: GuestLogEntry): void;
  /** False lets answers outside 2xx return, as the mock classes do (functions.md 8.4). Default true. */
  throwsOnRefusal?: boolean;
}

type HostTable = {
  [M in HostMethod]: (args: HostMethods[M]['args'], signal: AbortSignal) => Promise<HostMethods[M]['result']>;
};

/** The host of a run outside the hub: providers by its exit, everything that is stored only in memory (functions.md 8.2). */
export class LocalHost implements RunHost {
  readonly #options: LocalHostOptions;
  readonly #table: HostTable;
  readonly #memory: MemoryHost;

  constructor(options: LocalHostOptions) {
    this.#options = options;
    this.#memory = new MemoryHost(options.checkpoint ?? null);
    this.#table = { ...this.#network(), ...this.#surroundings(), ...this.#memory.methods() };
  }

  /** As the run left it. */
  get checkpoint(): Record<string, unknown> | null {
    return this.#memory.checkpoint;
  }

  get records(): CollectedRecords {
    return this.#memory.records;
  }

  call<M extends HostMethod>(
    method: M,
    args: HostMethods[M]['args'],
    signal: AbortSignal,
  ): Promise<HostMethods[M]['result']> {
    return this.#table[method](args, signal);
  }

  log(entries: GuestLogEntry[]): void {
    for (const entry of entries) this.#options.onLog(entry);
  }

  #network(): Pick<HostTable, 'http.request' | 'http.uncontrolledFetch'> {
    const { exit, place, throwsOnRefusal = true } = this.#options;
    return {
      'http.request': async (request, signal) => {
        const answer = await exit.send(request, signal);
        const { config, ...plain } = answer;
        if (throwsOnRefusal && (answer.status < 200 || answer.status > 299)) throw refusedByProvider(plain, config);
        return answer;
      },
      'http.uncontrolledFetch': (args, signal) => place.uncontrolledFetch(args, signal),
    };
  }

  #surroundings() {
    const { place } = this.#options;
    return {
      'connection.get': (args) => place.getConnection(args),
      'metadata.set': (args) => place.setMetadata(args),
      'metadata.update': (args) => place.updateMetadata(args),
      'integration.get': (args) => place.getIntegration(args),
      'environment.variables': (args) => place.listVariables(args),
      'action.trigger': (args) => place.triggerAction(args),
      'sync.trigger': (args) => place.triggerSync(args),
      'sync.start': async () => null,
      'records.getByIds': (args) => place.getRecordsByIds(args),
      'records.list': (args) => place.listRecords(args),
    } satisfies Partial<HostTable>;
  }
}
