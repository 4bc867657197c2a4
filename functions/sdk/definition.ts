import type { CheckpointSchema, MetadataSchema } from './schemas.ts';

/** Options of every kind of function. */
export interface DefinitionProps<TMetadata extends MetadataSchema, TCheckpoint extends CheckpointSchema> {
  /** Description of the function for people and language models, at most 2,000 characters. */
  description: string;
  /** Label in the app, for example `1.0.0`. Without it, versions are counted from `1` with each deploy. */
  version?: string;
  /** Schema of the connection's metadata. It types `getMetadata()`. */
  metadata?: TMetadata;
  /** Schema of the checkpoint. It types `getCheckpoint()` and `saveCheckpoint()` and is never validated at run time. */
  checkpoint?: TCheckpoint;
}
