import { z } from 'zod';
import { environmentQuery, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';
import { changedSyncs, heldDeletion, wantsChanged } from '../data/dashboard-undo.contract.ts';
import { functionType } from '../functions/dashboard-functions.contract.ts';

/** Largest number of targets per request. The page sends several requests and shows the progress. */
const MAX_TARGETS = 100;

export const connectionCommand = z.enum(['run', 'pause', 'resume', 'refresh', 'tag', 'delete']);

const connectionTarget = z.object({ integrationKey: z.string(), connectionId: z.string() });

export const bulkConnectionsBody = z.object({
  command: connectionCommand,
  targets: z.array(connectionTarget).min(1).max(MAX_TARGETS),
  /** Only for `tag`. These tags are added to the existing ones. */
  tags: z.record(z.string(), z.string()).optional(),
  wantsChanged,
  /** Only for `delete`: all targets wait together, and the response has `held`. */
  hold: z.boolean().optional(),
});

export const bulkFunctionsBody = z.object({
  isEnabled: z.boolean(),
  targets: z
    .array(z.object({ integrationKey: z.string(), type: functionType, name: z.string() }))
    .min(1)
    .max(MAX_TARGETS),
});

/** Connections that are tested at the same time. More would be a burst of requests for one provider. */
export const MAX_TESTED_AT_ONCE = 5;

/** The provider's response to a test of one connection's credentials. */
export const connectionTestResult = z.object({
  /** `no_test`: the provider has no request to test them with. `not_tested`: the provider did not answer. */
  outcome: z.enum(['accepted', 'refused', 'not_tested', 'no_test']),
  /** Why the credentials do not work, or why the test has no result. */
  message: z.string().nullable(),
  /** Id of the test in the log. */
  operationId: z.string().nullable(),
});

/** One entry per target, in the order of the targets: the error, or null on success. */
export const bulkResponse = z.object({
  problems: z.array(z.object({ code: z.string(), message: z.string() }).nullable()),
});

/** A filter whose values the server lists. */
export const filterName = z.enum([
  'connections.integrations',
  'connections.authModes',
  'connections.tags',
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

/** With `integration`, only connections and functions of its rows. */
export const filterValuesQuery = environmentQuery.extend({
  of: filterName,
  search: z.string().max(255).optional(),
  integration: z.string().min(1).max(255).optional(),
});

/** At most 20 values. `label` is null when the value is its own label. */
export const filterValue = z.object({
  value: z.string(),
  label: z.string().nullable(),
  /** Provider whose picture is shown before the value. */
  provider: z.string().nullable(),
  count: z.number().int(),
});

export const bulkRouteShapes = {
  'POST /api/v1/connections/bulk': {
    meaning: 'Applies one command to many connections; returns the error of each.',
    query: environmentQuery,
    body: bulkConnectionsBody,
    response: bulkResponse.extend({ changed: changedSyncs, held: heldDeletion.optional() }),
  },
  'POST /api/v1/connections/test': {
    meaning: 'Asks the provider whether the credentials of each connection work; in the order of the targets.',
    query: environmentQuery,
    body: z.object({ targets: z.array(connectionTarget).min(1).max(MAX_TESTED_AT_ONCE) }),
    response: z.object({ results: z.array(connectionTestResult) }),
  },
  'POST /api/v1/functions/bulk': {
    meaning: 'Switches many functions on or off; returns the error of each.',
    query: environmentQuery,
    body: bulkFunctionsBody,
    /** `changed`: in the order of the targets, false also where it was so already. */
    response: bulkResponse.extend({ changed: z.array(z.boolean()) }),
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
