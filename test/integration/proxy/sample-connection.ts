import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { ProviderDefinition } from '../../../server/integrations/catalog/entry-schema.ts';
import type { FieldDefinition } from '../../../server/integrations/catalog/field-schema.ts';
import { selfSigned } from '../../support/self-signed.ts';

const PAIR = selfSigned('sample');
const EC_KEY = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'sec1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;

/** A recognisable value for a field of the configuration: one of its options, a value for its pattern or format, or its name. */
export function sampleOf(name: string, field: FieldDefinition): string {
  if (field.enum) return field.enum[0] ?? '';
  if (field.pattern === undefined && field.format === undefined) return `${name.toLowerCase()}-value`;
  return field.example ?? field.default_value ?? 'sample';
}

/** The input of a person for the form of the entry's mode; keys are real ones. */
export function sampleInput({ auth_mode: mode, credentials, ...entry }: ProviderDefinition): Record<string, unknown> {
  const usual: Record<string, Record<string, string>> = {
    API_KEY: { apiKey: 'api-key' },
    BASIC: { username: 'user-name', password: 'pass-word' },
    INSTALL_PLUGIN: { username: 'user-name', password: 'pass-word' },
    SIGNATURE: { username: 'user-name', password: 'pass-word' },
    OAUTH2_CC: { client_id: 'client-id', client_secret: 'client-secret' },
    TBA: { token_id: 'token-id', token_secret: 'token-secret' },
    BILL: { username: 'user-name', password: 'pass-word', organization_id: 'organization', dev_key: 'dev-key' },
  };
  const fill = (fields: ProviderDefinition['credentials']): Record<string, string> =>
    Object.fromEntries(
      Object.entries(fields ?? {})
        .filter(([, field]) => !field.automated)
        .map(([name, field]) => [name, keyFor(name, field, entry) ?? usual[mode]?.[name] ?? sampleOf(name, field)]),
    );
  const once = entry.assertion_option ? { assertionOption: fill(entry.assertion_option) } : {};
  return { ...usual[mode], ...fill(credentials), ...once };
}

function keyFor(name: string, field: FieldDefinition, entry: Partial<ProviderDefinition>): string | undefined {
  if (/certificate/i.test(name)) return PAIR.cert;
  if (!/private_?key/i.test(name) || (field.pattern !== undefined && !field.pattern.includes('BEGIN')))
    return undefined;
  if (entry.signature?.protocol === 'HMAC') return field.example;
  if (entry.token_request_auth_method === 'private_key_jwt')
    return JSON.stringify({ ...createPrivateKey(PAIR.key).export({ format: 'jwk' }), kid: 'key-id' });
  return entry.signature?.protocol === 'EC' ? EC_KEY : PAIR.key;
}

/** A value for a member that the entry does not describe; addresses are recognised by their names. */
export function sampleOfResponse(path: string): string {
  const name = path.replaceAll('.', '-').toLowerCase();
  return /url|domain|host|server/.test(name) ? `https://${name.replaceAll('_', '-')}.test` : `${name}-value`;
}

/** The developer's app at the provider. */
export const SAMPLE_APP = {
  clientId: 'client-id',
  clientSecret: 'client-secret',
  appId: 'app-id',
  appLink: 'https://github.com/apps/sample',
  privateKey: PAIR.key,
};

/** The developer's input for `integration_config`. */
export function sampleCustom({ integration_config: fields }: ProviderDefinition): Record<string, string> {
  return Object.fromEntries(Object.entries(fields ?? {}).map(([name, field]) => [name, sampleOf(name, field)]));
}

/** The response of a token endpoint with every member that the entry may read. */
export function sampleResponse(entry: ProviderDefinition): {
  body: Record<string, unknown>;
  headers: Record<string, string>;
} {
  const body: Record<string, unknown> = {
    access_token: 'access-token',
    token: 'access-token',
    refresh_token: 'refresh-token',
    refreshToken: 'refresh-token',
    expires_in: 3600,
    sessionId: 'session-id',
    userId: 'user-id',
    data: { access_token: 'access-token', refresh_token: 'refresh-token' },
  };
  const {
    token,
    refresh_token: refresh,
    token_expiration: end,
    token_expiration_strategy: strategy,
  } = entry.token_response ?? {};
  if (token) setAt(body, token, 'token');
  if (refresh) setAt(body, refresh, 'refresh-token');
  if (end) setAt(body, end, strategy === 'expireIn' ? 3600 : '2026-01-01T01:00:00.000Z');
  for (const path of entry.token_response_metadata ?? []) {
    const field = entry.connection_config?.[path];
    setAt(body, path, field ? sampleOf(path, field) : sampleOfResponse(path));
  }
  for (const [, path = ''] of JSON.stringify(entry.additional_steps ?? []).matchAll(/\$\{step\d+\.([^}]+)\}/g))
    setAt(body, path, `${path.replaceAll('.', '-')}-value`);
  const headers = (entry.token_response_headers ?? []).map((name) => [
    name.toLowerCase(),
    name.toLowerCase() === 'set-cookie' ? 'session=cookie-value; Path=/' : `${name}-value`,
  ]);
  return { body, headers: Object.fromEntries(headers) as Record<string, string> };
}

function setAt(target: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    target[first] ??= value;
    return;
  }
  const inner = target[first];
  const next = (typeof inner === 'object' && inner !== null ? inner : {}) as Record<string, unknown>;
  target[first] = next;
  setAt(next, rest.join('.'), value);
}
