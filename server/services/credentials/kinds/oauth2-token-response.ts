import type { ProviderEntry } from '../../../catalog/entry-schema.ts';
import { valueAt } from '../../../catalog/template/resolve-template.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import { readExpiry, toIsoTime } from '../token-expiry.ts';
import { providerText } from './provider-refusal.ts';

/** The document to store of a token endpoint's answer (auth-and-connect.md 3.5, Parsing); `raw` is the whole answer. */
export function readTokenResponse(entry: ProviderEntry, answer: unknown, nowMs: number): StoredCredentials {
  const body = isObject(answer) ? answer : {};
  const tokens = findTokens(entry, body);
  if (!tokens) {
    const said = providerText(answer);
    throw new HomeportError(
      'unable_to_parse_token_response',
      `The provider answered without an access token${said === '' ? '' : `: ${said}`}.`,
    );
  }
  const refreshToken = tokens['refresh_token'];
  const expiresAt = readExpiry(tokens, nowMs);
  return {
    type: 'OAUTH2',
    access_token: String(tokens['access_token']),
    ...(typeof refreshToken === 'string' && refreshToken !== '' ? { refresh_token: refreshToken } : {}),
    ...(expiresAt === undefined ? {} : { expires_at: toIsoTime(expiresAt) }),
    raw: body,
  };
}

/** The object that holds the tokens: the answer itself, or what the entry's alternative path names. */
function findTokens(entry: ProviderEntry, body: Record<string, unknown>): Record<string, unknown> | undefined {
  if (isToken(body['access_token'])) return body;
  const path = entry.alternate_access_token_response_path;
  const found = path === undefined ? undefined : valueAt(body, path);
  if (isObject(found) && isToken(found['access_token'])) return found;
  return isToken(found) ? { access_token: found } : undefined;
}

function isToken(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
