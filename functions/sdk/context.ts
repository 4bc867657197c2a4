import type { z } from 'zod';
import type { ActionErrorConstructor } from './action-error-types.ts';
import type { CheckpointMethods } from './checkpoint-methods.ts';
import type { ConnectionMethods } from './connection-methods.ts';
import type { HttpMethods } from './http-methods.ts';
import type { LockMethods } from './lock-methods.ts';
import type { FunctionLogLevel, LogMethods } from './log-methods.ts';
import type { RecordMethods } from './record-methods.ts';
import type { CheckpointSchema, MetadataSchema, ModelSchemas } from './schemas.ts';
import type { TriggerMethods } from './trigger-methods.ts';
import type { Untyped } from './untyped.ts';

/** Facts about the function and its run. */
export interface ContextProperties {
  readonly connectionId: string;
  readonly providerConfigKey: string;
  /** Key of the provider in the catalogue. */
  readonly provider: string;
  readonly environmentId: number;
  readonly environmentName: string;
  readonly accountId: number;
  /** Numeric id of the connection. */
  readonly nangoConnectionId: number;
  /** Id of the run's operation in the log. */
  readonly activityLogId: string;
  readonly scriptType: 'sync' | 'action' | 'webhook' | 'on-event';
  /** True in a dry run. */
  readonly isCLI: boolean;
  /** The stored definition: `sync_name`, `version`, `models`, ... */
  readonly syncConfig: Untyped;
  readonly logger: { level: FunctionLogLevel };
  readonly ActionError: ActionErrorConstructor;
  /** Switches of the service; all are off here. */
  readonly runnerFlags: Untyped;
  /** `base`, or the name of the sync's variant. */
  getVariant(): string;
}

/** Members of the public types that no function can use: reading one throws (functions.md 3.2). */
export interface InaccessibleMembers {
  /** @deprecated Reading it throws. Requests go through the methods of the context. */
  readonly nango: Untyped;
  /** @deprecated Reading it throws. After a cancellation the next call throws. */
  readonly abortSignal?: Untyped;
  /** @deprecated Reading it throws. */
  readonly lifecycle?: Untyped;
  /** @deprecated Reading it throws. */
  readonly telemetryBag: Untyped;
  /** @deprecated Reading it throws. Use `getIntegration()`. */
  readonly integrationConfig?: Untyped;
}

/** Validation of values. */
export interface ValidationMethods {
  /**
   * Checks a value and returns zod's result; use its `data`. For an invalid value it writes one error line per problem
   * and throws an ActionError `{message: 'Invalid input provided'}`.
   */
  zodValidateInput<TInput = Untyped, TOutput = Untyped>(options: {
    zodSchema: z.core.$ZodType<TOutput>;
    input: TInput;
  }): Promise<z.ZodSafeParseSuccess<TOutput>>;
}

/**
 * Context of every kind of function. Methods are asynchronous: await them, because the run may otherwise end before
 * they do. After a cancellation the next call throws (`script_aborted`). Without type arguments it is the context of
 * any function, for helpers that several functions share.
 */
export interface FunctionContext<
  TMetadata extends MetadataSchema = Untyped,
  TCheckpoint extends CheckpointSchema = Untyped,
> extends ContextProperties,
    InaccessibleMembers,
    HttpMethods,
    ConnectionMethods<TMetadata>,
    TriggerMethods,
    LogMethods,
    CheckpointMethods<TCheckpoint>,
    LockMethods,
    ValidationMethods {}

/** First argument of an action's `exec`. */
export interface ActionContext<
  TMetadata extends MetadataSchema = Untyped,
  TCheckpoint extends CheckpointSchema = Untyped,
> extends FunctionContext<TMetadata, TCheckpoint> {}

/**
 * First argument of `exec` of an action. A type of its own: helpers of public functions take a `NangoAction` and get the
 * context of a sync too.
 */
export interface UndoableContext<
  TMetadata extends MetadataSchema = Untyped,
  TCheckpoint extends CheckpointSchema = Untyped,
> extends ActionContext<TMetadata, TCheckpoint> {
  /**
   * Keeps a value that `undo` needs, such as the state before a change. The last one counts; call it before the write. A
   * call that keeps more than 100,000 characters of JSON cannot be undone. (An addition of Homeport.)
   */
  keepForUndo(value: Untyped): Promise<void>;
}

/** First argument of an on-event function's `exec`. */
export interface OnEventContext<
  TMetadata extends MetadataSchema = Untyped,
  TCheckpoint extends CheckpointSchema = Untyped,
> extends FunctionContext<TMetadata, TCheckpoint> {}

/** First argument of a sync's `exec` and `onWebhook`. Its types follow the sync's models, metadata and checkpoint. */
export interface SyncContext<
  TModels extends ModelSchemas = Untyped,
  TMetadata extends MetadataSchema = Untyped,
  TCheckpoint extends CheckpointSchema = Untyped,
> extends FunctionContext<TMetadata, TCheckpoint>,
    RecordMethods<TModels> {
  /** Id of the sync of this connection. */
  readonly syncId: string;
  /** Number of the run. */
  readonly syncJobId: number;
  /** `base`, or the name of the variant. */
  readonly variant: string;
  /** Start of the last successful run. Undefined on the first run, after a reset, and in `onWebhook`. */
  readonly lastSyncDate?: Date;
  readonly track_deletes: boolean;
  /** True when the records were deleted before this run. */
  readonly emptyCache: boolean;
  /** @deprecated Reading it throws (functions.md 3.2). */
  modelFullName(model: string): string;
}
