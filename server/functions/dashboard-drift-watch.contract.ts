import { z } from 'zod';
import { dashboardIntegrationParams, done, environmentQuery, isoTime } from '../contract/dashboard/dashboard-lists.ts';

/** A field of a provider's answer that is not as it was recorded. */
const shownChange = z.object({
  /** `GET /v1/issues/{id}`. */
  request: z.string(),
  /** `data[].title`. */
  field: z.string(),
  kind: z.enum(['gone', 'type']),
  before: z.string(),
  /** Empty when the field is gone. */
  after: z.string(),
  functions: z.array(z.string()),
  /** Whether `functions` name the field in their code; else they send the request. */
  isRead: z.boolean(),
});

/** Recordings that are made again once a week (functions.md 8.3). */
const driftWatch = z.object({
  /** Null: it is off. */
  connectionId: z.string().nullable(),
  nextAt: isoTime.nullable(),
  lastAt: isoTime.nullable(),
  /** Why the last comparison was not made. */
  problem: z.string().nullable(),
  /** Null before the first comparison. */
  compared: z.number().int().nullable(),
  changes: z.array(shownChange),
  skipped: z.array(z.object({ function: z.string(), reason: z.string() })),
});

const ofIntegration = { params: dashboardIntegrationParams, query: environmentQuery };

export const driftWatchRouteShapes = {
  'GET /api/v1/integrations/:integrationKey/drift-watch': {
    meaning: 'The weekly comparison of an integration with its recordings, and its last result.',
    ...ofIntegration,
    response: driftWatch,
  },
  'PUT /api/v1/integrations/:integrationKey/drift-watch': {
    meaning: 'Switches it on, on one connection of the integration; 404 when there is no such connection.',
    ...ofIntegration,
    body: z.object({ connectionId: z.string().min(1) }),
    response: driftWatch,
  },
  'POST /api/v1/integrations/:integrationKey/drift-watch/run': {
    meaning: 'Compares now; 404 when it is off.',
    ...ofIntegration,
    response: driftWatch,
  },
  'DELETE /api/v1/integrations/:integrationKey/drift-watch': {
    meaning: 'Switches it off.',
    ...ofIntegration,
    response: done,
  },
};

export type ShownDriftWatch = z.infer<typeof driftWatch>;
