import { CALLBACK_PAGE, CALLBACK_PAGE_HEADER } from '../../contract/callback-page.ts';
import type { CallbackCheck } from '../../contract/dashboard/dashboard-callback.ts';
import { discardBody } from '../../lib/outbound-body.ts';
import { OutboundError } from '../../lib/outbound-error.ts';
import type { OutboundHttp } from '../../lib/outbound-http.ts';
import { isLoopbackName } from '../middleware/host-guard.ts';

const TIMEOUT_MS = 10_000;
const OWN_PATH = /^\/oauth\/callback\/?$/i;

/** Asks who answers at the callback address, as a provider would send a person there. */
export async function checkCallback(
  { http, port }: { http: Pick<OutboundHttp, 'request'>; port: number },
  callbackUrl: string,
): Promise<CallbackCheck> {
  const url = new URL(callbackUrl);
  if (isOwnPort(url, port)) return checkOwn(url);
  try {
    const { body, headers, status } = await http.request({
      method: 'GET',
      url,
      // The address is the user's own setting, which may be a machine of the local network (design.md 7.4).
      allowedHosts: [url.host],
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

/** The hub never calls itself: its own page asks for it, and here only the path is looked at. */
function checkOwn({ pathname }: URL): CallbackCheck {
  return OWN_PATH.test(pathname) ? { found: 'own' } : { found: 'foreign', status: 404 };
}

function isOwnPort({ protocol, hostname, port }: URL, ownPort: number): boolean {
  return protocol === 'http:' && isLoopbackName(hostname) && Number(port || '80') === ownPort;
}
