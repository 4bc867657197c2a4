import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import type { ErrorCode } from '../../../contract/error-codes.ts';
import type { ProviderEntry } from '../../../integrations/catalog/entry-schema.ts';
import { toPem } from '../../../integrations/catalog/template/pem.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';
import { fillText, type ParamScope, paramScope } from './fill-params.ts';

export interface SignedToken {
  token: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

interface JwtParts {
  header: { alg: string; [name: string]: string };
  payload: JWTPayload;
  key: KeyObject | undefined;
  /** Error code when the key cannot sign. */
  code: ErrorCode;
}

/** For entries that name no lifetime. */
const DEFAULT_LIFETIME_MS = 3_600_000;
/** Labels that may belong to a bare base64 key, most common first. */
const KEY_LABELS = ['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY'];

/** Signs the entry's `token` with the key that the entry names (auth-and-connect.md 2.6). */
export async function signTemplateToken(
  context: TokenContext,
  values: Record<string, unknown>,
  code: ErrorCode,
): Promise<SignedToken> {
  const { token: rules, signature } = context.entry;
  const scope = paramScope(context, values);
  const keyText = fillText(rules?.signing_key ?? '', scope);
  const lifetimeMs = rules?.expires_in_ms ?? DEFAULT_LIFETIME_MS;
  const issuedAt = Math.floor(scope.now / 1_000);
  const header = fillHeader(rules?.header, scope);
  const token = await signJwt({
    header: { ...header, alg: header['alg'] ?? (signature?.protocol === 'HMAC' ? 'HS256' : 'RS256') },
    payload: {
      // Two tokens of the same second would else be the same one.
      ...(rules?.singleUse ? { jti: context.ids.uuid() } : {}),
      ...fillClaims(rules?.payload, scope),
      iat: issuedAt,
      exp: issuedAt + Math.floor(lifetimeMs / 1_000),
    },
    key: keyText ? readKey(keyText, signature) : undefined,
    code,
  });
  return { token, expiresAt: scope.now + lifetimeMs };
}

/** Claims without a value are left out. For lists see `fillList`. */
export function fillClaims(
  claims: Record<string, string | string[]> | undefined,
  scope: ParamScope,
): Record<string, string | string[]> {
  const filled = Object.entries(claims ?? {}).flatMap(([name, value]): Array<[string, string | string[]]> => {
    const text = Array.isArray(value) ? fillList(value, scope) : fillText(value, scope);
    return text === undefined || text.length === 0 ? [] : [[name, text]];
  });
  return Object.fromEntries(filled);
}

/** Header members without a value are left out. */
export function fillHeader(header: Record<string, string | undefined> | undefined, scope: ParamScope) {
  const filled = Object.entries(header ?? {}).flatMap(([name, value]): Array<[string, string]> => {
    const text = value === undefined ? undefined : fillText(value, scope);
    return text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(filled);
}

/** Items without a value are left out; the others are split at commas. */
export function fillList(items: string[], scope: ParamScope): string[] {
  return items
    .flatMap((item) => fillText(item, scope)?.split(',') ?? [])
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Throws an error with the given code when there is no key, or it cannot sign with the algorithm of the header. */
export async function signJwt({ header, payload, key, code }: JwtParts): Promise<string> {
  if (!key) throw new HomeportError(code, 'The private key cannot be read. Enter it as it was issued, as a PEM text.');
  try {
    return await new SignJWT(payload).setProtectedHeader(header).sign(key);
  } catch (error) {
    // The key's type or size does not fit the algorithm.
    throw new HomeportError(code, `The private key cannot sign with ${header.alg}. Enter the key for this use.`, {
      cause: error,
    });
  }
}

/** Undefined when the text is not such a key. HMAC secrets are hex unless the entry says otherwise. */
export function readKey(text: string, signature: ProviderEntry['signature']): KeyObject | undefined {
  if (signature?.protocol !== 'HMAC') return readPrivateKey(text);
  const encoding = signature.hmac_secret_encoding ?? 'hex';
  if (encoding === 'hex' && !/^([0-9a-f]{2})+$/i.test(text)) return undefined;
  return createSecretKey(Buffer.from(text, encoding));
}

/** The key in a PEM text, or in bare base64; undefined when the text is no private key. */
export function readPrivateKey(text: string): KeyObject | undefined {
  for (const label of KEY_LABELS) {
    try {
      return createPrivateKey(toPem(text, label));
    } catch {
      // Not a key with this label; a text with its own label fails for all of them.
    }
  }
  return undefined;
}
