import type { webhookDestinationRouteShapes } from '../../../contract/dashboard/dashboard-webhook-destinations.ts';
import { omitUndefined } from '../../../lib/omit-undefined.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';
import { refuseOwnAddress } from '../../refuse-own-address.ts';

type Use = Pick<DashboardParts, 'about' | 'notifications'>;

export function webhookDestinationHandlers({
  about,
  notifications,
}: Use): DashboardHandlers<keyof typeof webhookDestinationRouteShapes> {
  const { destinations } = notifications;
  const refuseOwn = (url: string | undefined): void =>
    refuseOwnAddress([{ path: ['url'], url }], { local: about.apiUrl(), public: about.publicBase() });
  return {
    'GET /api/v1/webhook-destinations': async ({ environment }) => ({ data: await destinations.list(environment.id) }),

    'POST /api/v1/webhook-destinations': ({ environment, body }) => {
      refuseOwn(body.url);
      return destinations.create(environment.id, body);
    },

    'PATCH /api/v1/webhook-destinations/:destinationId': ({ environment, params, body }) => {
      refuseOwn(body.url);
      return destinations.change(environment.id, params.destinationId, omitUndefined(body));
    },

    'DELETE /api/v1/webhook-destinations/:destinationId': async ({ environment, params }) => {
      await destinations.remove(environment.id, params.destinationId);
      return { success: true };
    },

    'POST /api/v1/webhook-destinations/:destinationId/test': async ({ environment, params, body }) => {
      const destination = await destinations.get(environment.id, params.destinationId);
      return { id: await notifications.sendSample(environment, body.type, destination) };
    },
  };
}
