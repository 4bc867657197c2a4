import type { ProviderEntry } from '../../../catalog/entry-schema.ts';
import { valueAt } from '../../../catalog/template/resolve-template.ts';
import { isJsonObject } from '../../../lib/json-object.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import { readExpiry, toIsoTime } from '../token-expiry.ts';

/**
 * The document to store of a token endpoint's answer (auth-and-connect.md 3.5, Parsing), with the whole answer as
 * `raw`; undefined when it holds no access token.
 */
export function readTokenResponse(entry: ProviderEntry, answer: unknown, nowMs: number): StoredCredentials | undefined {
  const body = isJsonObject(answer) ? answer : {};
  const tokens = findTokens(entry, body);
  if (!tokens) return undefined;
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

/** The tokens: of the answer itself, of the object that the entry's alternative path names, or with the token there. */
function findTokens(entry: ProviderEntry, body: Record<string, unknown>): Record<string, unknown> | undefined {
  if (isToken(body['access_token'])) return body;
  const path = entry.alternate_access_token_response_path;
  const found = path === undefined ? undefined : valueAt(body, path);
  if (isJsonObject(found) && isToken(found['access_token'])) return found;
  return isToken(found) ? { ...body, access_token: found } : undefined;
}

function isToken(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}
