import { readBody } from '../../lib/outbound-body.ts';
import type { ProviderRequest, ProxyCall, ProxyResponse, ProxyTargetRef, RedactedRequest } from './proxy-types.ts';

/** `GuestHttpRequest` of the bridge protocol, by shape: only the runs service imports the protocol itself. */
export interface GuestRequest extends ProviderRequest {
  providerConfigKey?: string;
  connectionId?: string;
  retries?: number;
  retryOn?: number[];
  retryHeader?: { at?: string | string[]; after?: string | string[] };
  expect: 'text' | 'bytes';
}

/** `GuestHttpResponse` of the bridge protocol, by shape. */
export interface GuestResponse {
  status: number;
  statusText: string;
  headers: Record<string, string | string[]>;
  body: string | Uint8Array;
  config: RedactedRequest;
}

/** A function's request as a call; another connection than the run's is named by the request itself. */
export function fromGuestRequest(request: GuestRequest, current: ProxyTargetRef): ProxyCall {
  const { providerConfigKey, connectionId, expect: _expect, decompress: _always, ...rest } = request;
  return {
    ...rest,
    target: {
      environmentId: current.environmentId,
      integrationKey: providerConfigKey ?? current.integrationKey,
      connectionId: connectionId ?? current.connectionId,
    },
  };
}

/** The answer in the form the function asked for. Rejects with OutboundError past the limit or on a broken body. */
export async function toGuestResponse(
  response: ProxyResponse,
  expect: GuestRequest['expect'],
  { limitBytes, reserve }: { limitBytes: number; reserve?: (bytes: number) => Promise<void> | undefined },
): Promise<GuestResponse> {
  const bytes = await readBody(response.body, limitBytes, reserve);
  const headers = Object.entries(response.headers).flatMap(([name, value]): Array<[string, string | string[]]> => {
    if (value === undefined) return [];
    return [[name, Array.isArray(value) && name !== 'set-cookie' ? value.join(', ') : value]];
  });
  return {
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(headers),
    body: expect === 'bytes' ? bytes : bytes.toString('utf8'),
    config: response.describeRequest(),
  };
}
