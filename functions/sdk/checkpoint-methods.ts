import type { CheckpointOf, CheckpointSchema } from './schemas.ts';

/**
 * A checkpoint stores the progress of a function across its runs on one connection. `exec` and `onWebhook` of a sync
 * have separate checkpoints. A reset of the sync deletes both.
 */
export interface CheckpointMethods<TCheckpoint extends CheckpointSchema = never> {
  /** The saved checkpoint, or null. */
  getCheckpoint<T = CheckpointOf<TCheckpoint>>(): Promise<T | null>;
  /**
   * Replaces the checkpoint: a flat object, at most 16 fields and 256 kB as JSON. A Date is stored as ISO text. Throws
   * when another run changed it since it was read. May end the run when the hub shuts down.
   */
  saveCheckpoint(checkpoint: CheckpointOf<TCheckpoint>): Promise<void>;
  /** Deletes the checkpoint. Does nothing when none is saved. Throws when another run changed it since it was read. */
  clearCheckpoint(): Promise<void>;
}
