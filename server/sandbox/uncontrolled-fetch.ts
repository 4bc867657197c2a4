import type { HostMethods } from '../../functions/runtime/bridge.ts';
import { OutboundError } from '../lib/outbound-error.ts';
import type { OutboundHttp, OutboundResponse } from '../lib/outbound-http.ts';
import { HostCallError } from './host-call-error.ts';
import { withoutAnswer } from './refused-request.ts';

/** What the function reads in `payload.code` of the ActionError (functions.md 3.10). */
const CODES: Record<string, string> = {
  ERR_ADDRESS_REFUSED: 'url_not_allowed',
  ERR_TOO_MANY_REDIRECTS: 'too_many_redirects',
};

/** A plain request without credentials: public hosts and the environment's `allowed_hosts` (design.md 7.26). */
export async function fetchUncontrolled(
  http: OutboundHttp,
  args: HostMethods['http.uncontrolledFetch']['args'],
  allowedHosts: readonly string[],
  signal: AbortSignal,
): Promise<OutboundResponse> {
  try {
    return await http.request({
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
    if (code === undefined) throw withoutAnswer(error.code, error.message);
    throw new HostCallError({
      name: 'ActionError',
      message: error.message,
      type: 'action_script_runtime_error',
      payload: { code, message: error.message },
    });
  }
}
