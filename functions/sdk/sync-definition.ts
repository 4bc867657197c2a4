import type { SyncContext } from './context.ts';
import type { DefinitionProps } from './definition.ts';
import type { FunctionEndpoint } from './endpoint.ts';
import type { CheckpointSchema, MetadataSchema, ModelSchemas } from './schemas.ts';
import type { Untyped } from './untyped.ts';

/** The options of {@link createSync}. */
export interface CreateSyncProps<
  TModels extends ModelSchemas,
  TMetadata extends MetadataSchema = never,
  TCheckpoint extends CheckpointSchema = never,
> extends DefinitionProps<TMetadata, TCheckpoint> {
  /** Fetches records and saves them with `batchSave`. The returned value is ignored. Time limit: 24 hours. */
  exec: (nango: SyncContext<TModels, TMetadata, TCheckpoint>) => Promise<void> | void;
  /**
   * Interval between runs, at least 30 seconds: `every 5 minutes`, `every hour`, `every half day`, `every 1.5h`,
   * `every day`, `every week`, `every month`.
   */
  frequency: string;
  /** Model name → zod object with a string `id`. Only declared models can be saved. */
  models: TModels;
  /** One route per model, in the order of `models`. Optional. */
  endpoints?: FunctionEndpoint[];
  /** @deprecated Accepted without effect. List the routes in `endpoints`. */
  endpoint?: FunctionEndpoint;
  /** `incremental`: from the second run on, `lastSyncDate` is set. Default `full`. */
  syncType?: 'full' | 'incremental';
  /** `true` starts the sync when a connection is created. Default `false`: the API or the app starts it. */
  autoStart?: boolean;
  /** @deprecated Call `trackDeletesStart` and `trackDeletesEnd` in `exec`. Not allowed with `incremental`. */
  trackDeletes?: boolean;
  /** Scopes that the provider must grant. Documentation only. */
  scopes?: string[];
  /** Webhook types that `onWebhook` handles, exactly as the provider names them. `*` means all. */
  webhookSubscriptions?: string[];
  /** Handles one webhook of the provider. `payload` is the request body. Time limit: 1 hour. */
  onWebhook?: (nango: SyncContext<TModels, TMetadata, TCheckpoint>, payload: Untyped) => Promise<void> | void;
}

/** A defined sync: its options and its type. Tests call `exec` on it. */
export interface CreateSyncResponse<
  TModels extends ModelSchemas,
  TMetadata extends MetadataSchema = never,
  TCheckpoint extends CheckpointSchema = never,
> extends CreateSyncProps<TModels, TMetadata, TCheckpoint> {
  type: 'sync';
}

/**
 * Defines a sync: a function that runs on a schedule for every connection and stores the provider's records. It must be
 * the file's default export, with the options written as an object literal.
 */
export function createSync<
  TModels extends ModelSchemas,
  TMetadata extends MetadataSchema = never,
  TCheckpoint extends CheckpointSchema = never,
>(props: CreateSyncProps<TModels, TMetadata, TCheckpoint>): CreateSyncResponse<TModels, TMetadata, TCheckpoint> {
  return { type: 'sync', ...props };
}
