import { z } from 'zod';
import { functionType } from './dashboard-functions.ts';
import { environmentQuery, wholeResponse } from './dashboard-lists.ts';

/** What one request does at most; the page sends as many as it needs and shows how far it is. */
const MOST_TARGETS = 100;

export const connectionCommand = z.enum(['run', 'pause', 'resume', 'refresh', 'tag', 'delete']);

const connectionTarget = z.object({ integrationKey: z.string(), connectionId: z.string() });

export const bulkConnectionsBody = z.object({
  command: connectionCommand,
  targets: z.array(connectionTarget).min(1).max(MOST_TARGETS),
  /** With `tag`: set beside the tags that are there. */
  tags: z.record(z.string(), z.string()).optional(),
});

export const bulkFunctionsBody = z.object({
  isEnabled: z.boolean(),
  targets: z
    .array(z.object({ integrationKey: z.string(), type: functionType, name: z.string() }))
    .min(1)
    .max(MOST_TARGETS),
});

/** They are asked at the same time: more would be a burst for one provider. */
export const MOST_TESTED_AT_ONCE = 5;

/** What the provider says of the credentials of one connection. */
export const connectionTestResult = z.object({
  /** `no_test`: the provider has no request that tests them. `not_tested`: there was no answer. */
  outcome: z.enum(['accepted', 'refused', 'not_tested', 'no_test']),
  /** Why it does not work, or why nothing is known. */
  message: z.string().nullable(),
  /** Of the log. */
  operationId: z.string().nullable(),
});

/** What kept it from one target; null where it was done. In the order of the targets. */
export const bulkAnswer = z.object({
  problems: z.array(z.object({ code: z.string(), message: z.string() }).nullable()),
});

/** A filter whose values the server knows. */
export const filterName = z.enum([
  'connections.integrations',
  'functions.integrations',
  'functions.types',
  'integrations.authModes',
  'integrations.categories',
  'operations.integrations',
  'operations.connections',
  'operations.functions',
  'incoming.integrations',
  'incoming.connections',
  'outgoing.integrations',
  'outgoing.connections',
  'audit.apps',
  'audit.integrations',
]);

/** `integration`: connections and functions of its rows only. */
export const filterValuesQuery = environmentQuery.extend({
  of: filterName,
  search: z.string().max(255).optional(),
  integration: z.string().min(1).max(255).optional(),
});

/** At most 20; `label` is null where the value is its own. */
export const filterValue = z.object({
  value: z.string(),
  label: z.string().nullable(),
  /** Name of the provider whose picture stands before it. */
  provider: z.string().nullable(),
  count: z.number().int(),
});

export const bulkRouteShapes = {
  'POST /api/v1/connections/bulk': {
    meaning: 'Does one thing to many connections; what kept it from each.',
    query: environmentQuery,
    body: bulkConnectionsBody,
    response: bulkAnswer,
  },
  'POST /api/v1/connections/test': {
    meaning: 'Asks the provider whether the credentials of each connection work; in the order of the targets.',
    query: environmentQuery,
    body: z.object({ targets: z.array(connectionTarget).min(1).max(MOST_TESTED_AT_ONCE) }),
    response: z.object({ results: z.array(connectionTestResult) }),
  },
  'POST /api/v1/functions/bulk': {
    meaning: 'Switches many functions on or off; what kept it from each.',
    query: environmentQuery,
    body: bulkFunctionsBody,
    response: bulkAnswer,
  },
  'GET /api/v1/filter-values': {
    meaning: 'Values that a filter of a list can have, the most frequent first.',
    query: filterValuesQuery,
    response: wholeResponse(filterValue),
  },
};

export type ConnectionTestResult = z.infer<typeof connectionTestResult>;
export type ConnectionCommand = z.infer<typeof connectionCommand>;
export type FilterName = z.infer<typeof filterName>;
export type FilterValue = z.infer<typeof filterValue>;
