import { HomeportError } from '../platform/lib/homeport-error.ts';
import { explainRefusal } from '../platform/lib/outbound-connect.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import type { OutboundHttp, OutboundResponse } from '../platform/lib/outbound-http.ts';
import type { BuiltRequest } from './build-request.ts';

export type SendResult =
  | { kind: 'response'; status: number; headers: OutboundResponse['headers']; response: OutboundResponse }
  | { kind: 'network'; error: OutboundError };

/** Sends one built request. A forbidden host is the caller's error, not the network's. */
export async function sendRequest(
  http: Pick<OutboundHttp, 'request'>,
  built: BuiltRequest,
  limits: {
    allowedHosts: readonly string[];
    signal: AbortSignal | undefined;
    silenceMs: number;
  },
): Promise<SendResult> {
  try {
    const response = await http.request({ ...built, ...limits, keepsHeadersAt: built.isOwn });
    return { kind: 'response', status: response.status, headers: response.headers, response };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.code !== 'ERR_ADDRESS_REFUSED') return { kind: 'network', error };
    throw error.hop === 0
      ? new HomeportError('base_url_override_not_allowed', explainRefusal(error), { cause: error })
      : new HomeportError(
          'proxy_redirect_to_denied_host',
          `The provider redirected to an address that may not be reached. ${error.message}.`,
          { cause: error },
        );
  }
}
