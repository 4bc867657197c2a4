import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import { webhookTakenResponse } from '../contract/general-responses.ts';
import { isLocalRequest } from '../platform/http/host-guard.ts';
import type { Handler, PublicRoute, Route } from '../platform/http/route.ts';
import { validateParams } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { IncomingService } from './incoming.service.ts';
import type { IncomingResponse } from './incoming-request.ts';
import { webhookParams, webhookQuery } from './webhooks.contract.ts';

export interface WebhooksApiDeps {
  incoming: Pick<IncomingService, 'checkAddress' | 'receive'>;
}

/** Webhooks of providers (webhooks.md 2). */
export function webhooksApi(use: WebhooksApiDeps): PublicRoute[] {
  return [
    {
      method: 'post',
      path: '/webhook/:environmentUuid/:providerConfigKey',
      access: 'public',
      admit: admitWebhook(use),
      answerGet: answerCheck(use),
      takesBytes: true,
      bodyLimitBytes: WEBHOOK_BODY_BYTES,
      handler: receiveWebhook(use),
      openapi: {
        id: 'receiveWebhook',
        tag: 'Webhooks',
        summary: 'Receive a webhook of a provider',
        details:
          'For providers, which sign what they send; any content type, up to 10 MB. Answers once the webhook is stored: ' +
          'handlers and forwarding are not waited for. A request without anything in it gets 204. The name of an ' +
          'environment stands for its UUID. GET and HEAD are answered where a provider checks the address by them.',
        params: webhookParams,
        query: webhookQuery,
        unchecked: ['query'],
        responses: { 200: webhookTakenResponse, 204: null },
        passesOn:
          'What the provider asks for: the answer of a handshake. Or `{"error": "<text>"}`: a signature that is missing ' +
          'or wrong (401), something that the webhook must hold (400), a failure of the hub (500).',
        errors: [
          'invalid_uri_params',
          'unknown_environment',
          [404, 'unknown_provider_config'],
          'too_many_request',
          [503, 'vault_locked'],
        ],
        example: { path: '/webhook/dev/own-none', body: { type: 'hello' } },
      },
    },
  ];
}

/** Largest body of a webhook, in bytes. It is also the limit of what is kept of a webhook. */
const WEBHOOK_BODY_BYTES = 10 * 1024 * 1024;

/** The body is read only for an integration that exists. */
function admitWebhook(use: WebhooksApiDeps): NonNullable<Route['admit']> {
  return async ({ params }) => {
    const { environmentUuid, providerConfigKey } = validateParams(webhookParams, params);
    await use.incoming.checkAddress(environmentUuid, providerConfigKey);
  };
}

/** A provider checks the address. The public address does not tell what else is there (design.md 8). */
function answerCheck(use: WebhooksApiDeps): Handler {
  const receive = receiveWebhook(use);
  return async (request) => {
    try {
      return await receive(request);
    } catch (error) {
      const isHidden = error instanceof HomeportError && error.code !== 'vault_locked' && request.http.method === 'GET';
      if (!isHidden || isLocalRequest(request.http)) throw error;
      throw new HomeportError('misdirected_request', 'This path is not available at the public address.');
    }
  };
}

/** A provider calls, or checks the address (webhooks.md 2.1). */
function receiveWebhook(use: WebhooksApiDeps): Handler {
  return async ({ http, params, response }) => {
    const { environmentUuid, providerConfigKey } = validateParams(webhookParams, params);
    const [path = '', ...query] = http.originalUrl.split('?');
    const body = await use.incoming.receive(environmentUuid, providerConfigKey, {
      method: http.method,
      path,
      query: query.join('?'),
      headers: flatHeaders(http.headers),
      rawBody: Buffer.isBuffer(http.body) ? http.body : Buffer.alloc(0),
    });
    write(response, body);
    return undefined;
  };
}

function flatHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const given = Object.entries(headers).filter((pair): pair is [string, string | string[]] => pair[1] !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));
}

function write(response: Response, { status, contentType, headers, text }: IncomingResponse): void {
  response.writeHead(status, {
    ...headers,
    'X-Content-Type-Options': 'nosniff',
    ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
    ...(text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) }),
  });
  response.end(text);
}
