import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import { webhookParams } from '../../../contract/api/webhooks.ts';
import type { IncomingAnswer } from '../../../services/incoming/incoming-request.ts';
import type { IncomingService } from '../../../services/incoming/incoming-service.ts';
import type { Handler, Route } from '../../route.ts';
import { validateParams } from '../../validate.ts';

/** Largest body of a webhook: what is kept of one, in bytes. */
export const WEBHOOK_BODY_BYTES = 10 * 1024 * 1024;

/** Only a webhook for an integration that exists is read at all. */
export function admitWebhook(use: { incoming: Pick<IncomingService, 'checkAddress'> }): NonNullable<Route['admit']> {
  return async ({ params }) => {
    const { environmentUuid, providerConfigKey } = validateParams(webhookParams, params);
    await use.incoming.checkAddress(environmentUuid, providerConfigKey);
  };
}

/** `POST /webhook/:environmentUuid/:providerConfigKey`: a provider calls (webhooks.md 2.1). */
export function receiveWebhook(use: { incoming: Pick<IncomingService, 'receive'> }): Handler {
  return async ({ http, params, response }) => {
    const { environmentUuid, providerConfigKey } = validateParams(webhookParams, params);
    const [path = '', ...query] = http.originalUrl.split('?');
    const answer = await use.incoming.receive(environmentUuid, providerConfigKey, {
      method: http.method,
      path,
      query: query.join('?'),
      headers: flatHeaders(http.headers),
      rawBody: Buffer.isBuffer(http.body) ? http.body : Buffer.alloc(0),
    });
    write(response, answer);
    return undefined;
  };
}

function flatHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const given = Object.entries(headers).filter((pair): pair is [string, string | string[]] => pair[1] !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}

function write(response: Response, { status, contentType, headers, text }: IncomingAnswer): void {
  response.writeHead(status, {
    ...headers,
    'X-Content-Type-Options': 'nosniff',
    ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
    ...(text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) }),
  });
  response.end(text);
}
