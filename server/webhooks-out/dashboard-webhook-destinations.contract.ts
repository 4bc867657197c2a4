import { z } from 'zod';
import { environmentQuery, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';
import { httpUrl } from '../contract/fields.ts';
import { deletionQuery, deletionResponse } from '../data/dashboard-undo.contract.ts';
import { outgoingSent } from './dashboard-outgoing-webhooks.contract.ts';
import {
  destinationIntegrations,
  destinationName,
  destinationTypes,
  webhookType,
} from './destination-fields.contract.ts';

/** A destination of outgoing webhooks in addition to the primary and the secondary URL (ui.md 6.16). */
const webhookDestinationRow = z.object({
  id: z.string(),
  name: z.string().nullable(),
  url: z.string(),
  isEnabled: z.boolean(),
  /** An empty list means every type. */
  types: z.array(webhookType),
  /** Integration keys. An empty list means every integration. */
  integrations: z.array(z.string()),
});

const newDestination = z.strictObject({
  name: destinationName,
  url: httpUrl,
  isEnabled: z.boolean(),
  types: destinationTypes,
  integrations: destinationIntegrations,
});

const destinationParams = z.object({ destinationId: z.string() });

export const webhookDestinationRouteShapes = {
  'GET /api/v1/webhook-destinations': {
    meaning: 'Further destinations of outgoing webhooks, in the order in which they were made.',
    query: environmentQuery,
    response: wholeResponse(webhookDestinationRow),
  },
  'POST /api/v1/webhook-destinations': {
    meaning: 'Creates one.',
    query: environmentQuery,
    body: newDestination,
    response: webhookDestinationRow,
  },
  'PATCH /api/v1/webhook-destinations/:destinationId': {
    meaning: 'Changes the given members.',
    params: destinationParams,
    query: environmentQuery,
    body: newDestination.partial(),
    response: webhookDestinationRow,
  },
  'DELETE /api/v1/webhook-destinations/:destinationId': {
    meaning: 'Deletes it; webhooks that wait for it end as failed.',
    params: destinationParams,
    query: deletionQuery,
    response: deletionResponse,
  },
  'POST /api/v1/webhook-destinations/:destinationId/test': {
    meaning: 'Sends it a sample event, also when it is off or its filter leaves the type out.',
    params: destinationParams,
    query: environmentQuery,
    body: z.object({ type: webhookType }),
    response: outgoingSent,
  },
};

export type ShownDestination = z.infer<typeof webhookDestinationRow>;
export type NewDestinationBody = z.input<typeof newDestination>;
