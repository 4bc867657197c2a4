import type { GuestHttpConfig, GuestHttpResponse } from '../bridge.ts';
import { Buffer } from '../globals/buffer-global.ts';
import { JSONParse } from '../primordials.ts';

export type ResponseType = 'arraybuffer' | 'blob' | 'document' | 'json' | 'text' | 'stream';

/** The request that a response or error contains. */
export type SentConfig = GuestHttpConfig & { data?: unknown };

/** The result of `nango.get` and similar methods (functions.md 4.3). */
export interface HttpResponse {
  data: unknown;
  status: number;
  statusText: string;
  headers: Record<string, string | string[]>;
  config: SentConfig | Record<string, never>;
  request: Record<string, unknown>;
}

export function toHttpResponse(
  wire: GuestHttpResponse,
  config: SentConfig | undefined,
  responseType?: ResponseType,
): HttpResponse {
  const request = config ? { method: config.method, url: config.url } : {};
  return {
    data: parseBody(wire.body, responseType),
    status: wire.status,
    statusText: wire.statusText,
    headers: wire.headers,
    config: config ?? {},
    request,
  };
}

/** Bytes stay bytes: the host sends them only for requests with `arraybuffer`. */
function parseBody(body: string | Uint8Array, responseType?: ResponseType): unknown {
  if (typeof body !== 'string') return Buffer.from(body.buffer as ArrayBuffer, body.byteOffset, body.length);
  if (responseType === 'arraybuffer') return Buffer.from(body);
  const isJson = responseType === undefined || responseType === 'json';
  if (body === '' || !isJson) return body;
  try {
    return JSONParse(body);
  } catch {
    // The body is not JSON, whatever its content type says, so the text is the data.
    return body;
  }
}
