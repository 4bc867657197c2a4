import type { Request } from 'express';
import type { ProxyBody } from '../../../services/proxy/proxy-service.ts';

/** The caller's body as it came: bytes with the content type they were sent with. */
export function proxyRequestBody(request: Request): { body?: ProxyBody } {
  const body: unknown = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  // The type it came with: only that one names the boundary of a form. What the caller wants announced is a header.
  const contentType = request.headers['content-type'] ?? request.headers['nango-proxy-content-type'];
  return {
    body: {
      kind: 'bytes',
      bytes: body,
      ...(contentType === undefined ? {} : { contentType: [contentType].flat().join(', ') }),
    },
  };
}
