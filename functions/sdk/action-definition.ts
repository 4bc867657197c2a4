import type { z } from 'zod';
import type { ActionContext, UndoableContext } from './context.ts';
import type { DefinitionProps } from './definition.ts';
import type { FunctionEndpoint } from './endpoint.ts';
import type { CheckpointSchema, MetadataSchema } from './schemas.ts';
import type { Untyped } from './untyped.ts';

/** The call that `undo` takes back. */
export interface UndoneCall<TInput, TOutput> {
  input: TInput;
  /** What `exec` returned. */
  output: TOutput;
  /** What `exec` gave to `nango.keepForUndo()`; undefined when it gave nothing. */
  kept: Untyped;
}

/** The options of {@link createAction}. */
export interface CreateActionProps<
  TInput extends z.core.$ZodType,
  TOutput extends z.core.$ZodType,
  TMetadata extends MetadataSchema = never,
  TCheckpoint extends CheckpointSchema = never,
> extends DefinitionProps<TMetadata, TCheckpoint> {
  /**
   * Does the work and returns the output (JSON, at most 2 MB). Time limit: 15 minutes. Throw `new
   * nango.ActionError({...})` to fail with a payload that the caller sees.
   */
  exec: (
    nango: UndoableContext<TMetadata, TCheckpoint>,
    input: z.infer<TInput>,
  ) => Promise<z.infer<TOutput>> | z.infer<TOutput>;
  /**
   * Takes back what one call of `exec` did; a person runs it from the timeline of an agent session. Throw `new
   * nango.ActionError({...})` before the first write when the thing was changed since: the person reads its message.
   */
  undo?: (
    nango: ActionContext<TMetadata, TCheckpoint>,
    call: UndoneCall<z.infer<TInput>, z.infer<TOutput>>,
  ) => Promise<void> | void;
  /** Schema of the input; `z.void()` for none. */
  input: TInput;
  /** Schema of the output; `z.void()` for none. */
  output: TOutput;
  /** Custom route of the action. Optional. */
  endpoint?: FunctionEndpoint;
  /** Scopes that the provider must grant. Documentation only. */
  scopes?: string[];
  /**
   * `true`: the action changes nothing at the provider. MCP clients may then call it without approval, like an action
   * with a GET endpoint.
   */
  readOnly?: boolean;
  /**
   * `true`: the output holds text by strangers, such as mail, issues, pages or comments. After such a call, an agent asks
   * before each write. `false`: it holds none. Without it, the category of the provider decides for actions that only read.
   */
  untrustedOutput?: boolean;
}

/** A defined action: its options and its type. Tests call `exec` on it. */
export interface CreateActionResponse<
  TInput extends z.core.$ZodType,
  TOutput extends z.core.$ZodType,
  TMetadata extends MetadataSchema = never,
  TCheckpoint extends CheckpointSchema = never,
> extends CreateActionProps<TInput, TOutput, TMetadata, TCheckpoint> {
  type: 'action';
}

/**
 * Defines an action: a function that a caller triggers with an input and that returns an output. It must be the file's
 * default export, with the options written as an object literal.
 */
export function createAction<
  TInput extends z.core.$ZodType,
  TOutput extends z.core.$ZodType,
  TMetadata extends MetadataSchema = never,
  TCheckpoint extends CheckpointSchema = never,
>(
  props: CreateActionProps<TInput, TOutput, TMetadata, TCheckpoint>,
): CreateActionResponse<TInput, TOutput, TMetadata, TCheckpoint> {
  return { type: 'action', ...props };
}
