import { CALLBACK_PAGE, CALLBACK_PAGE_HEADER, callbackUrlOf } from '../contract/callback-page.ts';
import { webhookAddress } from '../contract/webhook-address.ts';
import type { DashboardAbout, DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import type { Environment } from '../environments/environment.service.ts';
import { isLoopbackName } from '../platform/http/host-guard.ts';
import { writtenHosts } from '../platform/lib/address-guard.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import { discardBody } from '../platform/lib/outbound-exchange.ts';
import type { OutboundHttp } from '../platform/lib/outbound-http.ts';
import type { Callback, CallbackCheck } from './dashboard-callback.contract.ts';

type Use = Pick<DashboardParts, 'about' | 'environments' | 'http'>;
type Keys = 'GET /api/v1/callback' | 'PATCH /api/v1/callback' | 'POST /api/v1/callback/check';

/** Routes of the callback address: read it, change it, and check that it answers. */
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

function viewCallback(about: DashboardAbout, { settings, uuid }: Environment): Callback {
  const ownUrl = callbackUrlOf(null, about.publicBase());
  return {
    callbackUrl: callbackUrlOf(settings.callbackUrl, about.publicBase()),
    setting: settings.callbackUrl,
    ownUrl,
    webhookBase: webhookAddress(about.publicBase(), uuid, ''),
    port: Number(new URL(about.apiUrl()).port || '80'),
  };
}

const TIMEOUT_MS = 10_000;
const OWN_PATH = /^\/oauth\/callback\/?$/i;

/** Requests the callback address as a browser would, and returns who answered. */
async function checkCallback(
  { http, port }: { http: Pick<OutboundHttp, 'request'>; port: number },
  callbackUrl: string,
): Promise<CallbackCheck> {
  const url = new URL(callbackUrl);
  if (isOwnPort(url, port)) return checkOwn(url);
  try {
    const { body, headers, status } = await http.request({
      method: 'GET',
      url,
      // The user set this address, so it may be on the local network (design.md 7.4).
      allowedHosts: writtenHosts(url),
      maxRedirects: 0,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await discardBody(body);
    if (headers[CALLBACK_PAGE_HEADER] === CALLBACK_PAGE) return { found: 'hub' };
    const { location } = headers;
    const target = typeof location === 'string' ? URL.parse(location, url.href) : null;
    if (!target) return { found: 'foreign', status };
    return isOwnPort(target, port) ? checkOwn(target) : { found: 'forwards', target: target.href };
  } catch (error) {
    if (error instanceof OutboundError) return { found: 'nothing', reason: error.message };
    throw error;
  }
}

/** The hub never calls itself. For its own address only the path is checked here; the page makes the request. */
function checkOwn({ pathname }: URL): CallbackCheck {
  return OWN_PATH.test(pathname) ? { found: 'own' } : { found: 'foreign', status: 404 };
}

function isOwnPort({ protocol, hostname, port }: URL, ownPort: number): boolean {
  return protocol === 'http:' && isLoopbackName(hostname) && Number(port || '80') === ownPort;
}
