import type { GuestHttpBody, GuestHttpRequest, HostMethods } from '../../functions/runtime/bridge.ts';
import type { RequestParts } from '../../functions/testing/request-identity.ts';

export type ExitAnswer = HostMethods['http.request']['result'];

/** The one way out of a local run: everything a function asks of a provider passes here. */
export interface ProviderExit {
  send(request: GuestHttpRequest, signal: AbortSignal): Promise<ExitAnswer>;
}

/** A request of the guest as fixtures name it. */
export function toRequestParts({ method, endpoint, params, headers, body }: GuestHttpRequest): RequestParts {
  return { method, endpoint, params, headers, ...(body ? { data: dataOf(body) } : {}) };
}

function dataOf(body: GuestHttpBody): unknown {
  if (body.kind === 'bytes') return body.bytes;
  if (body.kind !== 'multipart') return body.text;
  return Object.fromEntries(body.parts.map(({ name, text, bytes }) => [name, text ?? Buffer.from(bytes ?? [])]));
}
