import type { HostMethods } from '../../../functions/runtime/bridge.ts';
import { OutboundError } from '../lib/outbound-error.ts';
import { discardBody } from '../lib/outbound-exchange.ts';
import { explainRefusal, type OutboundHttp, type OutboundResponse } from '../lib/outbound-http.ts';
import { HostCallError } from './host-call-error.ts';
import { withoutResponse } from './refused-request.ts';

/** What the function reads in `payload.code` of the ActionError (functions.md 3.10). */
const CODES: Record<string, string> = {
  ERR_ADDRESS_REFUSED: 'url_not_allowed',
  ERR_TOO_MANY_REDIRECTS: 'too_many_redirects',
};

/** With a `location`, such a response is a redirect that could not be followed. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A plain request without credentials: public hosts and the environment's `allowed_hosts` (design.md 7.26). */
export async function fetchUncontrolled(
  http: OutboundHttp,
  args: HostMethods['http.uncontrolledFetch']['args'],
  allowedHosts: readonly string[],
  signal: AbortSignal,
): Promise<OutboundResponse> {
  let response: OutboundResponse;
  try {
    response = await http.request({
      method: args.method,
      url: args.url,
      headers: args.headers,
      allowedHosts,
      signal,
      ...(args.body === null ? {} : { body: args.body }),
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const code = CODES[error.code];
    if (code === undefined) throw withoutResponse(error.code, error.message);
    throw refused(code, isHostRefused(error, args.url) ? explainRefusal(error) : error.message);
  }
  if (!REDIRECTS.has(response.status) || response.headers['location'] === undefined) return response;
  await discardBody(response.body);
  throw refused('invalid_redirect', `The redirect of ${response.url.host} has no valid address.`);
}

/** Whether the host itself was refused, not its protocol or an address that it redirected to. */
function isHostRefused({ code, hop }: OutboundError, url: string): boolean {
  return code === 'ERR_ADDRESS_REFUSED' && hop === 0 && /^https?:/.test(url);
}

function refused(code: string, message: string): HostCallError {
  return new HostCallError({
    name: 'ActionError',
    message,
    type: 'action_script_runtime_error',
    payload: { code, message },
  });
}
