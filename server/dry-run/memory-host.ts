import type { HostMethod, HostMethods } from '../../functions/runtime/bridge.ts';
import { CollectedRecords } from './collected-records.ts';

type Storing = Extract<HostMethod, `checkpoint.${string}` | `lock.${string}`> | (typeof RECORD_WRITES)[number];

const RECORD_WRITES = [
  'records.save',
  'records.update',
  'records.delete',
  'records.setMergingStrategy',
  'records.trackDeletesStart',
  'records.trackDeletesEnd',
  'records.deleteFromPreviousExecutions',
] as const satisfies HostMethod[];

/** The host's side of every method that stores something. */
export type StoringMethods = {
  [M in Storing]: (args: HostMethods[M]['args']) => Promise<HostMethods[M]['result']>;
};

/** What a dry run would store, kept in memory: records are collected, checkpoints and locks live as long as the run (functions.md 8.2). */
export class MemoryHost {
  readonly records = new CollectedRecords();
  #checkpoint: Record<string, unknown> | null;

  /** `checkpoint` is where the run starts. */
  constructor(checkpoint: Record<string, unknown> | null) {
    this.#checkpoint = checkpoint;
  }

  /** As the run left it. */
  get checkpoint(): Record<string, unknown> | null {
    return this.#checkpoint;
  }

  methods(): StoringMethods {
    return {
      'records.save': async ({ model, records }) => this.records.save(model, records),
      'records.update': async ({ model, records }) => this.records.update(model, records),
      'records.delete': async ({ model, ids }) => this.records.remove(model, ids),
      'records.setMergingStrategy': async () => null,
      'records.trackDeletesStart': async () => null,
      'records.trackDeletesEnd': async () => ({ deletedKeys: [] }),
      'records.deleteFromPreviousExecutions': async () => ({ deletedKeys: [] }),
      'checkpoint.get': async () => this.#checkpoint,
      'checkpoint.save': async ({ checkpoint }) => {
        this.#checkpoint = checkpoint;
        return null;
      },
      'checkpoint.clear': async () => {
        this.#checkpoint = null;
        return null;
      },
      'lock.acquire': async () => true,
      'lock.release': async () => true,
      'lock.releaseAll': async () => null,
    };
  }
}
