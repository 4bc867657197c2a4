import type { DryRunMethod, HostTable } from '../../functions/runtime/bridge.ts';
import { CollectedRecords } from './collected-records.ts';

/** The host's side of every method whose effect a dry run only remembers (`host-methods.ts`). */
type RememberedMethods = Pick<HostTable, DryRunMethod<'memory'>>;

/**
 * What a dry run would store, kept in memory: records are collected, a checkpoint lives as long as the run, and every
 * lock is free, because no other run takes one (functions.md 8.2).
 */
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

  methods(): RememberedMethods {
    return {
      'sync.start': async () => null,
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
