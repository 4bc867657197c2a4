import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { deleteOrHold } from '../data/deletion.dashboard.ts';
import { refuseOwnAddress } from '../platform/http/refuse-own-address.ts';
import { omitUndefined } from '../platform/lib/omit-undefined.ts';
import type { webhookDestinationRouteShapes } from './dashboard-webhook-destinations.contract.ts';

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
