import type { CheckpointOf, CheckpointSchema } from './schemas.ts';

/**
 * A checkpoint remembers how far a function came, across its runs on one connection. A sync's `exec` and its
 * `onWebhook` have one each; a reset of the sync deletes them.
 */
export interface CheckpointMethods<TCheckpoint extends CheckpointSchema = never> {
  /** The saved checkpoint, or null. */
  getCheckpoint<T = CheckpointOf<TCheckpoint>>(): Promise<T | null>;
  /**
   * Replaces the checkpoint: a flat object, at most 16 fields, text up to 4,000 characters. A Date is stored as
   * ISO text. Throws when another run changed it since it was read. May end the run when the hub shuts down.
   */
  saveCheckpoint(checkpoint: CheckpointOf<TCheckpoint>): Promise<void>;
  /** Deletes the checkpoint. Throws when it is already gone. */
  clearCheckpoint(): Promise<void>;
}
