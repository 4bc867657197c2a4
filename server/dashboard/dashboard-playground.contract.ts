import { z } from 'zod';
import {
  dashboardJsonObject,
  done,
  environmentQuery,
  isoTime,
  wholeResponse,
} from '../contract/dashboard/dashboard-lists.ts';
import { MAX_SAVED_REQUESTS } from '../contract/dashboard/list-limits.ts';
import { PROXY_METHODS } from '../contract/proxy-methods.ts';
import { fixturePreview, saveFixtureBody } from '../functions/dashboard-function-tests.contract.ts';

const ofConnection = { integrationKey: z.string().min(1), connectionId: z.string().min(1) };
/**
 * `dry` stores nothing, but its requests still reach the provider. `replay` runs the function over its saved fixture
 * without a network.
 */
const mode = z.enum(['live', 'dry', 'replay']);

/** Largest page, because a person reads it. */
export const MAX_RECORDS = 1000;

/** Largest file of a part, before its encoding. */
const MAX_FILE_BYTES = 10_000_000;
const MAX_BASE64 = Math.ceil(MAX_FILE_BYTES / 3) * 4;

/** A field of a form; with `file` the part of a multipart body is that file. */
const bodyField = z.object({
  name: z.string().max(1000),
  value: z.string().max(1_000_000).default(''),
  file: z
    .object({
      name: z.string().max(255),
      type: z.string().max(255),
      sizeBytes: z.number().int().min(0),
      /** Null in the history and in saved requests: contents of files are not kept. */
      base64: z.base64().max(MAX_BASE64).nullable(),
    })
    .optional(),
});

const actionRequest = z.object({
  kind: z.literal('action'),
  ...ofConnection,
  name: z.string().min(1),
  mode,
  input: z.unknown().optional(),
});

const syncRequest = z.object({
  kind: z.literal('sync'),
  ...ofConnection,
  name: z.string().min(1),
  mode,
  variant: z.string().min(1).default('base'),
  /** Live runs only: start from the beginning, without the last date and the checkpoint. */
  isFull: z.boolean().default(false),
  /** Dry runs only: replaces the connection's own metadata. */
  metadata: dashboardJsonObject.optional(),
  /** Dry runs only: the checkpoint to start from. */
  checkpoint: dashboardJsonObject.optional(),
});

const proxyRequest = z.object({
  kind: z.literal('proxy'),
  ...ofConnection,
  method: z.enum(PROXY_METHODS),
  /** Path and query below the provider's base URL. */
  endpoint: z.string().min(1).max(8192),
  headers: z.record(z.string(), z.string()).default({}),
  /** `text` of any type, and `json`, are in `body`; the fields of the others in `fields`. */
  bodyType: z.enum(['json', 'text', 'form', 'multipart']).default('json'),
  body: z.string().max(1_000_000).optional(),
  fields: z.array(bodyField).max(200).default([]),
  baseUrlOverride: z.url().optional(),
  retries: z.number().int().min(0).max(10).default(0),
});

/** Reads records as an app does with `GET /records` (http-api.md 11). */
const recordsRequest = z.object({
  kind: z.literal('records'),
  ...ofConnection,
  model: z.string().min(1),
  variant: z.string().min(1).default('base'),
  limit: z.number().int().min(1).max(MAX_RECORDS).default(100),
  /** Filters by the last change. An empty list means all. */
  filter: z.array(z.enum(['added', 'updated', 'deleted'])).default([]),
  ids: z.array(z.string().min(1).max(2048)).max(100).default([]),
  modifiedAfter: z.iso.datetime({ offset: true }).optional(),
  cursor: z.string().min(1).max(1000).optional(),
});

/** What the playground runs (ui.md 6.12). */
export const playgroundRequest = z.discriminatedUnion('kind', [
  actionRequest,
  syncRequest,
  proxyRequest,
  /** Replays a stored webhook of the provider for this connection only. */
  z.object({ kind: z.literal('webhook'), ...ofConnection, webhookId: z.string().min(1) }),
  /** Runs only the handler of a connection event; no connection is created or deleted. */
  z.object({ kind: z.literal('event'), ...ofConnection, name: z.string().min(1) }),
  recordsRequest,
]);

/** Kinds of requests that can be saved under a name. */
export const savableRequest = z.discriminatedUnion('kind', [actionRequest, syncRequest, proxyRequest]);

const inputName = z.string().trim().min(1).max(60);

const savedInput = z.object({ id: z.string(), name: z.string(), savedAt: isoTime, request: savableRequest });

export const playgroundState = z.enum(['running', 'success', 'failed', 'cancelled']);

const records = z.record(z.string(), z.array(z.unknown()));
export const playgroundRun = z.object({
  id: z.string(),
  request: playgroundRequest,
  state: playgroundState,
  startedAt: isoTime,
  endedAt: isoTime.nullable(),
  durationMs: z.number().nullable(),
  /** Null until the log has an operation. */
  operationId: z.string().nullable(),
  /** Output of an action, a handler or the query of records. */
  output: z.unknown(),
  /** The provider's response to a proxy request, with the first megabyte of its body. */
  response: z
    .object({
      status: z.number().int(),
      /** In their order; a name may come several times. */
      headers: z.array(z.object({ name: z.string(), value: z.string() })),
      /** Empty if it is not text. */
      body: z.string(),
      isText: z.boolean(),
      /** What was read of a body that is not text; null for text, and when it is no longer kept. */
      base64: z.string().nullable(),
      /** Of the whole body if its length is known, else of what was read. */
      sizeBytes: z.number().int(),
      isSizeKnown: z.boolean(),
      /** The body is longer than what is here. */
      isCut: z.boolean(),
    })
    .nullable(),
  /** What a dry run would have stored. */
  effects: z
    .object({ added: records, updated: records, deleted: records, checkpoint: dashboardJsonObject.nullable() })
    .nullable(),
  /** Result of a replay of a fixture. */
  replay: z
    .object({
      /** Path of the fixture below the functions folder. */
      path: z.string(),
      /** Number of values that differ from the recording. */
      differences: z.number().int(),
      /** Recorded requests that were not sent. */
      unsent: z.array(z.string()),
      note: z.string().nullable(),
    })
    .nullable(),
  /** Id of the webhook that a replay created. */
  webhookId: z.string().nullable(),
  /** Whether the run can be saved as a fixture, and a reason if the person can do something about it. */
  canBeSaved: z.boolean(),
  whyNotSaved: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string(), payload: z.unknown().optional() }).nullable(),
  /** The result was too large for the history that survives a restart. */
  isResultLost: z.boolean(),
});

/** For one function, or for every kind and function. */
export const playgroundQuery = environmentQuery.extend({
  integration: z.string().optional(),
  name: z.string().optional(),
});
export const playgroundParams = z.object({ runId: z.string() });

export const playgroundRouteShapes = {
  'GET /api/v1/playground/runs': {
    meaning: 'Runs of the playground, also from before a restart, the newest first; at most 50.',
    query: playgroundQuery,
    response: wholeResponse(playgroundRun),
  },
  'POST /api/v1/playground/runs': {
    meaning: 'Starts one; it continues without the page.',
    query: environmentQuery,
    body: playgroundRequest,
    response: playgroundRun,
  },
  'DELETE /api/v1/playground/runs': {
    meaning: 'Forgets the runs that have ended.',
    query: environmentQuery,
    response: done,
  },
  'GET /api/v1/playground/runs/:runId': {
    meaning: 'One run in its current state.',
    params: playgroundParams,
    query: environmentQuery,
    response: playgroundRun,
  },
  'POST /api/v1/playground/runs/:runId/cancel': {
    meaning: 'Cancels a run that is in progress.',
    params: playgroundParams,
    query: environmentQuery,
    response: playgroundRun,
  },
  'GET /api/v1/playground/runs/:runId/fixture': {
    meaning: 'A run of a function as it would be saved for replays, without secrets; 409 when it cannot be saved.',
    params: playgroundParams,
    query: environmentQuery,
    response: fixturePreview,
  },
  'POST /api/v1/playground/runs/:runId/fixture': {
    meaning: 'Writes it into the functions folder; 409 when the file exists and must not be overwritten.',
    params: playgroundParams,
    query: environmentQuery,
    body: saveFixtureBody,
    response: z.object({ path: z.string() }),
  },
  'GET /api/v1/playground/inputs': {
    meaning: 'Saved inputs of a function, or of requests to an integration, sorted by name.',
    query: environmentQuery.extend({
      integration: z.string().min(1),
      kind: z.enum(['action', 'sync', 'proxy']),
      /** Empty for requests. */
      name: z.string().default(''),
    }),
    response: wholeResponse(savedInput),
  },
  'GET /api/v1/playground/requests': {
    meaning: 'Saved requests to all integrations, sorted by integration and name.',
    query: environmentQuery,
    response: wholeResponse(savedInput),
  },
  'POST /api/v1/playground/requests': {
    meaning:
      'Saves requests to one integration that come from another program, all or none; a name that is taken gets a number.',
    query: environmentQuery,
    body: z.object({
      ...ofConnection,
      requests: z
        .array(z.object({ name: inputName, request: proxyRequest.omit({ integrationKey: true, connectionId: true }) }))
        .min(1)
        .max(MAX_SAVED_REQUESTS),
    }),
    response: wholeResponse(savedInput),
  },
  'PUT /api/v1/playground/inputs': {
    meaning: 'Saves one, sealed; one of the same name is replaced.',
    query: environmentQuery,
    body: z.object({ name: inputName, request: savableRequest }),
    response: savedInput,
  },
  'DELETE /api/v1/playground/inputs/:inputId': {
    meaning: 'Deletes one.',
    params: z.object({ inputId: z.string() }),
    query: environmentQuery,
    response: done,
  },
};

export type PlaygroundRequest = z.infer<typeof playgroundRequest>;
export type SavableRequest = z.infer<typeof savableRequest>;
export type SavedPlaygroundInput = z.infer<typeof savedInput>;
export type PlaygroundRequestInput = z.input<typeof playgroundRequest>;
/** Body of an import of requests, as it is sent. */
export type ImportedRequestsBody = z.input<(typeof playgroundRouteShapes)['POST /api/v1/playground/requests']['body']>;
export type PlaygroundRun = z.infer<typeof playgroundRun>;
