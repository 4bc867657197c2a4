import { callbackUrlOf } from '../../../contract/callback-page.ts';
import type { Callback } from '../../../contract/dashboard/dashboard-callback.ts';
import type { Environment } from '../../../services/environment/environment-service.ts';
import { checkCallback } from '../../dashboard/callback-check.ts';
import type { DashboardAbout, DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';

type Use = Pick<DashboardParts, 'about' | 'environments' | 'http'>;
type Keys = 'GET /api/v1/callback' | 'PATCH /api/v1/callback' | 'POST /api/v1/callback/check';

/** Where providers lead people back to: what it is, another one, and whether it answers. */
export function callbackRoutes({ about, environments, http }: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/callback': ({ environment }) => viewCallback(about, environment),

    'PATCH /api/v1/callback': async ({ environment, body }) =>
      viewCallback(about, await environments.change(environment.id, { callbackUrl: body.callbackUrl })),

    'POST /api/v1/callback/check': ({ environment }) => {
      const { callbackUrl, port } = viewCallback(about, environment);
      return checkCallback({ http, port }, callbackUrl);
    },
  };
}

function viewCallback(about: DashboardAbout, { settings }: Environment): Callback {
  const ownUrl = callbackUrlOf(null, about.publicBase());
  return {
    callbackUrl: callbackUrlOf(settings.callbackUrl, about.publicBase()),
    setting: settings.callbackUrl,
    ownUrl,
    port: Number(new URL(about.apiUrl()).port || '80'),
  };
}
