import { createHash } from 'node:crypto';
import { valueAt } from '../../../integrations/catalog/template/resolve-template.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { IssueCredentials } from '../token-context.ts';
import { toIsoTime } from '../token-expiry.ts';
import { assumeRole, isSessionOfRole, readAwsRole } from './aws-role.ts';
import { signTemplateToken } from './sign-jwt.ts';
import { providerRefusal, TOKEN_HEADERS, tokenAddress, tokenObject } from './token-endpoint.ts';

/** AWS_SIGV4: keys of an assumed role. They are tested when the connection is created, not when they are renewed. */
export const issueAwsSigv4: IssueCredentials = async (context, given) => {
  const role = readAwsRole(context, given);
  const assumed = await assumeRole(context, role);
  const isRenewal = given['session_token'] !== undefined;
  if (!isRenewal && !(await isSessionOfRole(context, role, { ...assumed, region: role.region, service: 'sts' })))
    throw new HomeportError(
      'connection_test_failed',
      'AWS does not accept the keys of the role, or they belong to another role. Check the role and its trust policy.',
    );
  const config = { external_id: role.externalId, role_arn: role.arn, region: role.region, service: role.service };
  const keys = {
    access_key_id: assumed.accessKeyId,
    secret_access_key: assumed.secretAccessKey,
    session_token: assumed.sessionToken,
    expires_at: toIsoTime(assumed.expiresAt),
  };
  return { credentials: { type: 'AWS_SIGV4', ...config, ...keys, raw: keys }, config };
};

/** A session ends after 35 minutes without use (auth-and-connect.md 2.7). */
const SESSION_MS = 35 * 60_000;

/** BILL: a session that a login creates. */
export const issueBill: IssueCredentials = async (context, given) => {
  const { username, password, organization_id: organizationId, dev_key: devKey } = given;
  const startedAt = context.now();
  const response = await context.send({
    method: 'POST',
    url: tokenAddress(context, 'BILL', given),
    headers: { ...TOKEN_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ username, password, organizationId, devKey }),
  });
  const raw = tokenObject(response);
  const sessionId = valueAt(raw, 'sessionId');
  if (response.status !== 200 || !raw || typeof sessionId !== 'string' || sessionId === '')
    throw providerRefusal({
      code: 'invalid_credentials',
      what: 'The provider refused the login',
      response,
      context,
      sent: given,
    });
  return {
    credentials: {
      type: 'BILL',
      username,
      password,
      organization_id: raw['organizationId'] ?? organizationId,
      dev_key: devKey,
      session_id: sessionId,
      user_id: raw['userId'],
      expires_at: toIsoTime(startedAt + SESSION_MS),
      raw,
    },
  };
};

/** JWT: a token that the hub signs with the entered key (auth-and-connect.md 2.6). */
export const issueJwt: IssueCredentials = async (context, given) => {
  const { token, expiresAt } = await signTemplateToken(context, splitKey(given), 'invalid_credentials');
  return { credentials: { ...given, type: 'JWT', token, expires_at: toIsoTime(expiresAt) } };
};

/** A key issued as `id:secret` is split. */
function splitKey(given: Record<string, unknown>): Record<string, unknown> {
  const { privateKey } = given;
  const [, id, secret] = typeof privateKey === 'string' ? (/^\s*([\w-]+):([\w-]+)\s*$/.exec(privateKey) ?? []) : [];
  return id === undefined ? given : { ...given, privateKey: { id, secret } };
}

const NONCE_BYTES = 16;

/** SIGNATURE: a WSSE user-name token that the hub creates (auth-and-connect.md 2.7). */
export const issueSignature: IssueCredentials = async ({ entry, ids, now }, given) => {
  const { username, password } = given;
  if (entry.signature?.protocol !== 'WSSE')
    throw new HomeportError(
      'unsupported_auth',
      `The provider ${entry.name} uses a signature that Homeport does not support.`,
    );
  if (typeof username !== 'string' || typeof password !== 'string' || !username || !password)
    throw new HomeportError('invalid_credentials', 'Enter the user name and the password.');
  const nowMs = now();
  const lifetimeMs = entry.token?.expires_in_ms;
  const token = wsseToken(username, password, ids.hex(NONCE_BYTES), toIsoTime(nowMs));
  const expiry = lifetimeMs === undefined ? {} : { expires_at: toIsoTime(nowMs + lifetimeMs) };
  return { credentials: { type: 'SIGNATURE', username, password, token, ...expiry } };
};

/** The digest is the base64 of the hexadecimal text of the hash, not of its bytes. */
function wsseToken(username: string, password: string, nonce: string, created: string): string {
  const hash = createHash('sha1').update(`${nonce}${created}${password}`).digest('hex');
  const digest = Buffer.from(hash).toString('base64');
  return `UsernameToken Username="${username}", PasswordDigest="${digest}", Nonce="${nonce}", Created="${created}"`;
}
