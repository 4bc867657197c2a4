import type { ProviderDefinition } from '../integrations/catalog/entry-schema.ts';
import { ALL_SCOPES, PRACTICE_CLIENT } from './authorization/practice-client.ts';

/** The key in examples. Any other key with the prefix works too. */
export const PRACTICE_DEMO_KEY = 'practice-demo-key';

/** Tokens last five minutes. Refreshing them a minute before their end leaves enough time to use them. */
const BUFFER_S = 60;

/**
 * Every catalogue entry of the practice provider by key: one for each of its auth modes (providers.md 2). They are
 * written in the form that a check returns, because the hub does not check them at a start.
 */
export function practiceEntries(address: string): Record<string, ProviderDefinition> {
  return {
    practice: apiKeyEntry(address),
    'practice-client-credentials': clientCredentialsEntry(address),
    'practice-oauth1': oauth1Entry(address),
    'practice-oauth2': oauth2Entry(address),
  };
}

/** Whether a provider of the catalogue is the practice provider, in any auth mode. */
export const isPracticeProvider = (provider: string): boolean =>
  ['practice', 'practice-client-credentials', 'practice-oauth1', 'practice-oauth2'].includes(provider);

export function apiKeyEntry(address: string) {
  return {
    display_name: 'Practice tracker',
    categories: ['ticketing', 'dev-tools'],
    // The hub makes up its issues: nobody else writes in it.
    untrusted_output: false,
    auth_mode: 'API_KEY',
    docs: `${address}/docs`,
    proxy: {
      base_url: address,
      headers: { authorization: 'Bearer ${apiKey}' },
      retry: { after: 'retry-after' },
      paginate: {
        type: 'cursor',
        cursor_path_in_response: 'next_cursor',
        cursor_name_in_request: 'cursor',
        response_path: 'issues',
        limit_name_in_request: 'limit',
        limit: 50,
      },
      verification: { method: 'GET', endpoints: ['/v1/me'] },
    },
    credentials: {
      apiKey: {
        type: 'string',
        title: 'API key',
        description: `Any key that starts with "practice-", for example ${PRACTICE_DEMO_KEY}.`,
        example: PRACTICE_DEMO_KEY,
        pattern: '^practice-\\S+$',
        secret: true,
      },
    },
  } satisfies ProviderDefinition;
}

function oauth2Entry(address: string): ProviderDefinition {
  return {
    ...sharedParts(address, 'OAuth 2'),
    auth_mode: 'OAUTH2',
    authorization_url: `${address}/oauth/authorize`,
    token_url: `${address}/oauth/token`,
    default_scopes: ALL_SCOPES,
    available_scopes: ALL_SCOPES,
    token_response_metadata: ['workspace_id', 'user.id'],
    token_expiration_buffer: BUFFER_S,
  };
}

function oauth1Entry(address: string): ProviderDefinition {
  return {
    ...sharedParts(address, 'OAuth 1.0a'),
    auth_mode: 'OAUTH1',
    request_url: `${address}/oauth1/request_token`,
    authorization_url: `${address}/oauth1/authorize`,
    token_url: `${address}/oauth1/access_token`,
    signature_method: 'HMAC-SHA1',
    default_scopes: ALL_SCOPES,
    available_scopes: ALL_SCOPES,
  };
}

function clientCredentialsEntry(address: string): ProviderDefinition {
  const { id, secret } = PRACTICE_CLIENT;
  return {
    ...sharedParts(address, 'client credentials'),
    auth_mode: 'OAUTH2_CC',
    token_url: `${address}/oauth/token`,
    token_request_auth_method: 'basic',
    token_params: { grant_type: 'client_credentials' },
    default_scopes: ALL_SCOPES,
    available_scopes: ALL_SCOPES,
    token_response_metadata: ['workspace_id'],
    token_expiration_buffer: BUFFER_S,
    credentials: {
      client_id: { type: 'string', title: 'Client id', description: `Enter ${id}.`, example: id },
      client_secret: {
        type: 'string',
        title: 'Client secret',
        description: `Enter ${secret}.`,
        example: secret,
        secret: true,
      },
    },
  };
}

function sharedParts(address: string, kind: string): Omit<ProviderDefinition, 'auth_mode'> {
  const { categories, proxy, untrusted_output } = apiKeyEntry(address);
  const { headers: _key, verification: _check, ...calls } = proxy;
  const guide = `${address}/docs`;
  const shared = { categories, untrusted_output, proxy: calls };
  return { display_name: `Practice tracker (${kind})`, ...shared, docs: guide, setup_guide_url: guide };
}
