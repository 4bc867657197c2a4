import { z } from 'zod';
import { environmentQuery, isoTime, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';
import {
  destinationDeleted,
  destinationTestResponse,
  newRecordDestination,
  recordDestinationChange,
  recordDestinationParams,
  recordDestinationView,
  replayBody,
} from './destinations.contract.ts';

/** Record destinations, as the page Destinations shows them; what it sends is that of the public API. */

const shared = recordDestinationView.pick({
  ...{ id: true, name: true, kind: true, target: true, schema: true, tls: true, integrations: true, models: true },
  ...{ connections: true, state: true, waiting: true, delivered: true },
});
const behind = { lagMs: z.number() };

const recordDestinationRow = shared.extend({
  ...behind,
  certificate: z.string().nullable(),
  /** Rows of deleted records stay. */
  isMarking: z.boolean(),
  deliveredAt: isoTime.nullable(),
  nextAttemptAt: isoTime.nullable(),
  failure: z.object({ message: z.string(), times: z.number().int(), at: isoTime }).nullable(),
});

const recordDestinationPage = recordDestinationRow.extend({
  /** By model of an integration. */
  progress: z.array(
    z.object({
      ...behind,
      integrationKey: z.string(),
      model: z.string(),
      connections: z.number().int(),
      delivered: z.number().int(),
      waiting: z.number().int(),
    }),
  ),
});

const one = { params: recordDestinationParams, query: environmentQuery };

export const recordDestinationRouteShapes = {
  'GET /api/v1/record-destinations': {
    meaning: 'Where synced records go on their own, with what waits and the last failure.',
    query: environmentQuery,
    response: wholeResponse(recordDestinationRow),
  },
  'POST /api/v1/record-destinations': {
    meaning: 'Creates one; it begins to deliver at once.',
    query: environmentQuery,
    body: newRecordDestination,
    response: recordDestinationPage,
  },
  'POST /api/v1/record-destinations/test': {
    meaning: 'Connects as a new destination would, and writes no record.',
    query: environmentQuery,
    body: newRecordDestination,
    response: destinationTestResponse.shape.data,
  },
  'GET /api/v1/record-destinations/:destinationId': {
    meaning: 'One, with the progress of each model.',
    ...one,
    response: recordDestinationPage,
  },
  'PATCH /api/v1/record-destinations/:destinationId': {
    meaning: 'Changes the given members.',
    ...one,
    body: recordDestinationChange,
    response: recordDestinationPage,
  },
  'DELETE /api/v1/record-destinations/:destinationId': {
    meaning: 'Deletes it; what it delivered stays where it is.',
    ...one,
    response: destinationDeleted,
  },
  'POST /api/v1/record-destinations/:destinationId/test': {
    meaning: 'Connects, and writes no record.',
    ...one,
    response: destinationTestResponse.shape.data,
  },
  'POST /api/v1/record-destinations/:destinationId/pause': {
    meaning: 'Changes wait until it is resumed.',
    ...one,
    response: recordDestinationPage,
  },
  'POST /api/v1/record-destinations/:destinationId/resume': {
    meaning: 'Delivers what waits.',
    ...one,
    response: recordDestinationPage,
  },
  'POST /api/v1/record-destinations/:destinationId/retry': {
    meaning: 'Tries at once, whatever the wait after failures.',
    ...one,
    response: recordDestinationPage,
  },
  'POST /api/v1/record-destinations/:destinationId/replay': {
    meaning: 'Delivers changes again, from a moment or from the beginning.',
    ...one,
    body: replayBody,
    response: recordDestinationPage,
  },
};

export type RecordDestinationRow = z.infer<typeof recordDestinationRow>;
export type RecordDestinationPage = z.infer<typeof recordDestinationPage>;
