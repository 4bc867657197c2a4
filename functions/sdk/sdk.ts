/**
 * The exports of `'homeport'` (and of its alias `'nango'`): three values that define a function, and the types of what
 * a function receives.
 */

export type { CreateActionProps, CreateActionResponse } from './action-definition.ts';
export { createAction } from './action-definition.ts';
export type { ActionError, ActionErrorConstructor } from './action-error-types.ts';
export type { CreateAnyResponse } from './any-definition.ts';
// Type names that functions for the Nango API use.
export type {
  ActionContext,
  ActionContext as NangoAction,
  FunctionContext,
  OnEventContext,
  SyncContext,
  SyncContext as NangoSync,
  UndoableContext,
} from './context.ts';
export type { EndpointMethod, FunctionEndpoint } from './endpoint.ts';
export type { Connection, ConnectionCredentials, EndUser } from './function-connection.ts';
export type { FunctionIntegration } from './function-integration.ts';
export type { FunctionLogLevel, LogOptions } from './log-methods.ts';
export type { CreateOnEventProps, CreateOnEventResponse, OnEventType } from './on-event-definition.ts';
export { createOnEvent } from './on-event-definition.ts';
export type { CursorPagination, LinkPagination, OffsetPagination, Pagination } from './pagination.ts';
export type { HttpError, HttpResponse, UncontrolledFetchOptions } from './provider-response.ts';
export type { HttpMethod, ProxyConfiguration, ProxyRequest, QueryParams, RetryHeader } from './proxy-configuration.ts';
export type { ListedRecord, MergingStrategy, RecordMetadata } from './record-methods.ts';
export type { CheckpointOf, CheckpointSchema, MetadataOf, MetadataSchema, ModelSchemas, RecordOf } from './schemas.ts';
export type { CreateSyncProps, CreateSyncResponse } from './sync-definition.ts';
export { createSync } from './sync-definition.ts';
