import type { z } from 'zod';
import type { Untyped, UntypedObject } from './untyped.ts';

// Type parameters are limited to zod's core types. With zod's classic types, checking a function takes twice as long,
// because all methods of the schemas are compared. (Zod recommends this for libraries.)

/**
 * Models of a sync: name → zod object. A name matches `^[A-Z][a-zA-Z0-9_]+$` and is unique within the integration.
 * Every record has a string `id` (1 to 2,048 characters), unique within the model and connection.
 */
export type ModelSchemas = Record<string, z.core.$ZodType<{ id: string }>>;

/** Shape of the connection's metadata: a zod object, or `z.void()` for none. */
export type MetadataSchema = z.core.$ZodType<UntypedObject> | z.core.$ZodVoid;

/**
 * Value in a checkpoint. A checkpoint is flat: at most 16 fields, each a string, a number or a boolean, at most 256 kB
 * as JSON.
 */
export type CheckpointValue = string | number | boolean | Date | null | undefined;

/** Shape of a function's checkpoint: a zod object of {@link CheckpointValue} fields. Typing only. */
export type CheckpointSchema = z.core.$ZodType<Record<string, CheckpointValue>>;

/** A record of an unknown model: any object with an `id`. */
export type AnyRecord = UntypedObject & { id: string };

/**
 * The record type of one model. A context that is typed without models (`NangoSync` in a shared helper) accepts any
 * record under any model name.
 */
export type RecordOf<TModels extends ModelSchemas, TName extends keyof TModels> = string extends keyof TModels
  ? AnyRecord
  : z.infer<TModels[TName]>;

/** The metadata type of a context; untyped when the definition declares no metadata. */
export type MetadataOf<TMetadata extends MetadataSchema> = [TMetadata] extends [never] ? Untyped : z.infer<TMetadata>;

/** The checkpoint type of a context; any flat object when the definition declares no checkpoint. */
export type CheckpointOf<TCheckpoint extends CheckpointSchema> = [TCheckpoint] extends [never]
  ? Record<string, CheckpointValue>
  : z.infer<TCheckpoint>;
