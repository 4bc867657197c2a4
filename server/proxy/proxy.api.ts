import { z } from 'zod';
import { PRACTICE_HEADERS } from '../functions/practice-examples.api.ts';
import type { PublicRoute } from '../platform/http/route.ts';
import { type CallProxyDeps, callProxy } from './call-proxy.api.ts';
import { proxyHeaders } from './proxy.contract.ts';

/** Calls that the hub forwards to a provider (http-api.md 7). */
export function proxyApi(use: CallProxyDeps): PublicRoute[] {
  return [
    {
      method: 'all',
      path: /^\/proxy(?:\/|$)/i,
      isHot: true,
      access: 'key',
      scopes: ['environment:proxy'],
      takesBytes: true,
      handler: callProxy(use),
      audit: { action: 'proxy' },
      openapi: {
        path: '/proxy/*path',
        id: 'proxy',
        tag: 'Proxy',
        summary: 'Call the API of a provider',
        details:
          'What follows `/proxy` goes to the provider as it is, query included, with the credentials of the connection. ' +
          'Headers `Nango-Proxy-<Name>` are forwarded as `<Name>`; no others are.',
        params: z.object({ path: z.string() }),
        headers: proxyHeaders,
        responses: {},
        passesOn:
          'The response of the provider: its status, headers and body. Without a response 500 with message and code.',
        errors: [
          [404, 'unknown_provider_config'],
          [400, 'server_error'],
          [424, 'server_error'],
          'unknown_provider',
          'invalid_query_params',
          'invalid_request',
          'connection_refresh_backoff',
          'connection_refresh_exhausted',
          'refresh_token_external_error',
          'missing_connection_config',
          'base_url_override_disabled',
          'base_url_override_forbidden',
          'base_url_override_not_allowed',
          'unsupported_provider',
          'missing_api_url',
          'missing_provider',
          'unsupported_auth',
          'invalid_certificate_or_key_format',
        ],
        example: { path: '/proxy/v1/echo', headers: PRACTICE_HEADERS },
      },
    },
  ];
}
