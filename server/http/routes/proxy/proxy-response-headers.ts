import type { Response } from 'express';

/** Headers of one hop, and those that the hub itself decides (http-api.md 7, HP). */
const KEPT_BACK = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
]);

export function copyResponseHeaders(response: Response, headers: Record<string, string | string[] | undefined>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || KEPT_BACK.has(name) || name.startsWith('access-control-')) continue;
    response.setHeader(name, value);
  }
}
