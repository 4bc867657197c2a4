import type { CheckpointSchema, MetadataSchema } from './schemas.ts';

/** What every kind of function declares. */
export interface DefinitionProps<TMetadata extends MetadataSchema, TCheckpoint extends CheckpointSchema> {
  /** What the function does, for people and for language models; at most 2,000 characters. */
  description: string;
  /** Label shown in the app, for example `1.0.0`. Without it each deploy counts up from `1`. */
  version?: string;
  /** Shape of the connection's metadata; types `getMetadata()`. */
  metadata?: TMetadata;
  /** Shape of the checkpoint; types `getCheckpoint()` and `saveCheckpoint()`. Never validated at run time. */
  checkpoint?: TCheckpoint;
}
