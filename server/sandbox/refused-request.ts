import type { GuestHttpConfig, GuestHttpResponse } from '../../functions/runtime/bridge.ts';
import { HostCallError } from './host-call-error.ts';

/** The axios-like error of an answer outside 2xx (functions.md 4.4). */
export function refusedByProvider(answer: GuestHttpResponse, config: GuestHttpConfig): HostCallError {
  return new HostCallError({
    name: 'AxiosError',
    message: `Request failed with status code ${answer.status}`,
    code: answer.status >= 500 ? 'ERR_BAD_RESPONSE' : 'ERR_BAD_REQUEST',
    status: answer.status,
    isAxiosError: true,
    response: answer,
    config,
  });
}

/** The axios-like error of a request that got no answer. */
export function withoutAnswer(code: string, message: string, config?: GuestHttpConfig): HostCallError {
  return new HostCallError({ name: 'AxiosError', message, code, isAxiosError: true, ...(config ? { config } : {}) });
}
