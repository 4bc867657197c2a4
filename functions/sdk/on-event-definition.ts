import type { OnEventContext } from './context.ts';
import type { DefinitionProps } from './definition.ts';
import type { CheckpointSchema, MetadataSchema } from './schemas.ts';

/**
 * When an on-event function runs:
 * - `post-connection-creation`: after a connection was created; failures are logged only;
 * - `validate-connection`: while a connection is authorized; a failure refuses it, and the thrown message is shown;
 * - `pre-connection-deletion`: before a connection is deleted; failures do not stop the deletion.
 */
export type OnEventType = 'post-connection-creation' | 'pre-connection-deletion' | 'validate-connection';

/** The options of {@link createOnEvent}. */
export interface CreateOnEventProps<
  TMetadata extends MetadataSchema = never,
  TCheckpoint extends CheckpointSchema = never,
> extends DefinitionProps<TMetadata, TCheckpoint> {
  /** The event that runs the function. Several functions may use the same event; all of them run. */
  event: OnEventType;
  /** Does the work. The returned value is ignored. Time limit: 5 minutes. */
  exec: (nango: OnEventContext<TMetadata, TCheckpoint>) => Promise<void> | void;
}

/** A defined on-event function: its options and its type. */
export interface CreateOnEventResponse<
  TMetadata extends MetadataSchema = never,
  TCheckpoint extends CheckpointSchema = never,
> extends CreateOnEventProps<TMetadata, TCheckpoint> {
  type: 'onEvent';
}

/**
 * Defines a function that runs at an event of a connection. It must be the file's default export, with the options
 * written as an object literal.
 */
export function createOnEvent<TMetadata extends MetadataSchema = never, TCheckpoint extends CheckpointSchema = never>(
  props: CreateOnEventProps<TMetadata, TCheckpoint>,
): CreateOnEventResponse<TMetadata, TCheckpoint> {
  return { type: 'onEvent', ...props };
}
