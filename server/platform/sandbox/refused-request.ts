import type { GuestHttpConfig, GuestHttpResponse } from '../../../functions/runtime/bridge.ts';
import { HostCallError } from './host-call-error.ts';

/**
 * The axios-like error of a response outside 2xx (functions.md 4.4). `foreignHost` answered without credentials, because
 * it is outside of the integration's addresses (design.md 7.48).
 */
export function refusedByProvider(
  response: GuestHttpResponse,
  config: GuestHttpConfig,
  foreignHost?: string,
): HostCallError {
  const why =
    foreignHost === undefined
      ? ''
      : `: ${foreignHost} is not an address of the integration, so it got no credentials. To send them, add ${foreignHost} to the allowed hosts in the environment's settings.`;
  return new HostCallError({
    name: 'AxiosError',
    message: `Request failed with status code ${response.status}${why}`,
    code: response.status >= 500 ? 'ERR_BAD_RESPONSE' : 'ERR_BAD_REQUEST',
    status: response.status,
    isAxiosError: true,
    response: response,
    config,
  });
}

/** The axios-like error of a request that got no response. */
export function withoutResponse(code: string, message: string, config?: GuestHttpConfig): HostCallError {
  return new HostCallError({ name: 'AxiosError', message, code, isAxiosError: true, ...(config ? { config } : {}) });
}
