import type { Request } from 'express';
import type { ProxyBody } from '../../../services/proxy/proxy-service.ts';

/** The caller's body as it came: bytes with the content type they were sent with. */
export function proxyRequestBody(request: Request): { body?: ProxyBody } {
  const body: unknown = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  const contentType = request.headers['nango-proxy-content-type'] ?? request.headers['content-type'];
  return { body: { kind: 'bytes', bytes: body, ...(contentType === undefined ? {} : { contentType: [contentType].flat().join(', ') }) } };
}
