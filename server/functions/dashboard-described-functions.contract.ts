import { z } from 'zod';
import { dashboardIntegrationParams, environmentQuery } from '../contract/dashboard/dashboard-lists.ts';

/** Functions that are written from operations of an API description (functions.md 8.1, ui.md 6.7). */

const describedKind = z.enum(['sync', 'action']);

/** An address, or the text of a file. */
const descriptionSource = z.object({
  address: z.string().max(2000).optional(),
  file: z.string().max(255).optional(),
  text: z
    .string()
    .max(24 * 1_048_576)
    .optional(),
});

/** An operation, and what it would become. */
const offeredOperation = z.object({
  /** Such as `GET /v1/issues`. */
  operation: z.string(),
  method: z.string(),
  path: z.string(),
  summary: z.string(),
  isDeprecated: z.boolean(),
  kind: describedKind,
  name: z.string(),
  /** Path of a list in the response: empty when the response is the list itself, null without one. */
  list: z.string().nullable(),
  /** How the list is paged: null when the description does not say. */
  paging: z.string().nullable(),
  /** The member that tells items of the list apart. */
  idField: z.string().nullable(),
  /** The parameter that asks for what changed. */
  since: z.string().nullable(),
  /** What the description does not say, and what a person should look at. */
  notes: z.array(z.string()),
});

const readDescriptionResponse = z.object({
  title: z.string(),
  /** SHA-256 of the description. */
  hash: z.string(),
  operations: z.array(offeredOperation),
});

const wantedOperation = z.object({
  operation: z.string().min(1).max(4000),
  kind: describedKind.optional(),
  name: z.string().min(1).max(255).optional(),
});

const writeDescribedBody = descriptionSource.extend({
  /** Of the description that the person saw. */
  hash: z.string().max(64),
  operations: z.array(wantedOperation).min(1).max(50),
  /** Whether the types of the API are written beside the functions. */
  withTypes: z.boolean(),
});

const describedFunction = z.object({
  type: describedKind,
  name: z.string(),
  /** Path below the functions folder. */
  file: z.string(),
  code: z.string(),
  notes: z.array(z.string()),
  /** The recorded run with the examples, below the functions folder; null when the function has to be completed first. */
  recording: z.string().nullable(),
});

export type OfferedOperation = z.infer<typeof offeredOperation>;
export type DescribedFunction = z.infer<typeof describedFunction>;

export const describedFunctionsRouteShapes = {
  'GET /api/v1/integrations/:integrationKey/api-description': {
    meaning: 'Where the API description of the integration is, as far as it is known; null otherwise.',
    params: dashboardIntegrationParams,
    query: environmentQuery,
    response: z.object({ address: z.string().nullable() }),
  },
  'POST /api/v1/integrations/:integrationKey/api-description': {
    meaning: 'Reads an API description: its operations, and what function each would become. Stores nothing.',
    params: dashboardIntegrationParams,
    query: environmentQuery,
    body: descriptionSource,
    response: readDescriptionResponse,
  },
  'POST /api/v1/integrations/:integrationKey/described-functions/preview': {
    meaning: 'The functions that would be written for operations; 409 when the description changed.',
    params: dashboardIntegrationParams,
    query: environmentQuery,
    body: writeDescribedBody.omit({ withTypes: true }),
    /** `problem`: why the file cannot be written. */
    response: z.object({ functions: z.array(describedFunction.extend({ problem: z.string().nullable() })) }),
  },
  'POST /api/v1/integrations/:integrationKey/described-functions': {
    meaning: 'Writes functions for operations, each with a recorded run; 409 when one cannot be written: then none is.',
    params: dashboardIntegrationParams,
    query: environmentQuery,
    body: writeDescribedBody,
    response: z.object({
      functions: z.array(describedFunction),
      /** Path of the types of the API below the functions folder; null when they were not asked for. */
      types: z.string().nullable(),
    }),
  },
};
