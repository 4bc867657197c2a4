import type { webhookDestinationRouteShapes } from '../../../contract/dashboard/dashboard-webhook-destinations.ts';
import { omitUndefined } from '../../../lib/omit-undefined.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { refuseOwnAddress } from '../../refuse-own-address.ts';
import { deleteOrHold } from './deletion-routes.ts';

type Use = Pick<DashboardParts, 'about' | 'deletions' | 'notifications'>;

export function webhookDestinationHandlers({
  about,
  deletions,
  notifications,
}: Use): DashboardHandlers<keyof typeof webhookDestinationRouteShapes> {
  const { destinations } = notifications;
  const refuseOwn = (url: string | undefined): void =>
    refuseOwnAddress([{ path: ['url'], url }], { local: about.apiUrl(), public: about.publicBase() });
  return {
    'GET /api/v1/webhook-destinations': async ({ environment }) => {
      const held = await deletions.listHeld(environment.id, 'destination');
      return { data: (await destinations.list(environment.id)).filter(({ id }) => !held.has(id)) };
    },

    'POST /api/v1/webhook-destinations': ({ environment, body }) => {
      refuseOwn(body.url);
      return destinations.create(environment.id, body);
    },

    'PATCH /api/v1/webhook-destinations/:destinationId': ({ environment, params, body }) => {
      refuseOwn(body.url);
      return destinations.change(environment.id, params.destinationId, omitUndefined(body));
    },

    'DELETE /api/v1/webhook-destinations/:destinationId': async ({ environment, params, query: { hold } }) => {
      const { destinationId } = params;
      return deleteOrHold(deletions, environment, {
        hold,
        object: { kind: 'destination', destinationId },
        deleteNow: () => destinations.remove(environment.id, destinationId),
      });
    },

    'POST /api/v1/webhook-destinations/:destinationId/test': async ({ environment, params, body }) => {
      const destination = await destinations.get(environment.id, params.destinationId);
      return { id: await notifications.sendSample(environment, body.type, destination) };
    },
  };
}
