import type { GuestHttpBody, GuestHttpRequest, HostMethods } from '../../../functions/runtime/bridge.ts';
import type { RequestParts } from '../../../functions/testing/request-identity.ts';

export type ProviderResponse = HostMethods['http.request']['result'];

/** The only network access of a local run: every request of the function to a provider uses it. */
export interface ProviderRequestSender {
  send(request: GuestHttpRequest, signal: AbortSignal): Promise<ProviderResponse>;
}

/** Returns a request of the function in the form that fixtures use. */
export function toRequestParts({ method, endpoint, params, headers, body }: GuestHttpRequest): RequestParts {
  return { method, endpoint, params, headers, ...(body ? { data: dataOf(body) } : {}) };
}

function dataOf(body: GuestHttpBody): unknown {
  if (body.kind === 'bytes') return body.bytes;
  if (body.kind !== 'multipart') return body.text;
  return Object.fromEntries(body.parts.map(({ name, text, bytes }) => [name, text ?? Buffer.from(bytes ?? [])]));
}
