import type { DryRunMethod, HostTable } from '../../../functions/runtime/bridge.ts';
import { CollectedRecords } from './collected-records.ts';

/** Host methods whose effects a dry run keeps in memory only (`host-methods.ts`). */
type MemoryMethods = Pick<HostTable, DryRunMethod<'memory'>>;

/**
 * Keeps in memory what a run would store: records are collected, a checkpoint lasts as long as the run, and every lock
 * is free because no other run takes one (functions.md 8.2).
 */
export class MemoryHost {
  readonly records = new CollectedRecords();
  #checkpoint: Record<string, unknown> | null;

  /** `checkpoint` is the checkpoint from which the run starts. */
  constructor(checkpoint: Record<string, unknown> | null) {
    this.#checkpoint = checkpoint;
  }

  /** The checkpoint at the end of the run. */
  get checkpoint(): Record<string, unknown> | null {
    return this.#checkpoint;
  }

  methods(): MemoryMethods {
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
      'cost.report': async () => null,
      'undo.keep': async () => null,
      'lock.acquire': async () => true,
      'lock.release': async () => true,
      'lock.releaseAll': async () => null,
    };
  }
}
