import { valueAt } from '../../../catalog/template/resolve-template.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenAnswer, TokenContext } from '../token-context.ts';
import { readExpiry } from '../token-expiry.ts';
import { type AwsRole, customValue } from './aws-role.ts';
import { assumeRoleAtAws, ROLE_SECONDS } from './aws-sts.ts';
import { checkHeaderValue } from './fill-params.ts';
import { providerRefusal } from './provider-refusal.ts';
import { readXml, TOKEN_HEADERS, tokenText } from './token-answer.ts';

/** Keys of an assumed role. */
export interface AssumedRole {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Where the keys stand: in the XML of AWS, or in the JSON of an endpoint of one's own, with or without a frame. */
const KEY_ROOTS = ['AssumeRoleResponse.AssumeRoleResult.Credentials', 'Credentials', 'credentials', 'data'];
const DEFAULT_HEADER = 'x-api-key';

/** Assumes the role at AWS, or through the endpoint that the integration names (auth-and-connect.md 2.7). */
export async function assumeRole(context: TokenContext, role: AwsRole): Promise<AssumedRole> {
  const startedAt = context.now();
  const endpoint = customValue(context, 'stsEndpointUrl');
  const mode = customValue(context, 'stsMode') ?? (endpoint === undefined ? 'builtin' : 'custom');
  const answer =
    mode === 'builtin' ? await assumeRoleAtAws(context, role) : await assumeRoleAt(context, role, endpoint);
  const assumed = readKeys(answer, startedAt);
  if (answer.status >= 200 && answer.status < 300 && assumed) return assumed;
  throw stsRefusal(context, answer);
}

function assumeRoleAt(context: TokenContext, role: AwsRole, endpoint: string | undefined): Promise<TokenAnswer> {
  if (endpoint === undefined)
    throw new HomeportError(
      'missing_aws_sigv4_sts_endpoint',
      'The integration names no STS endpoint. Enter its address, or use the built-in mode.',
    );
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new HomeportError('invalid_aws_sigv4_config', 'The STS endpoint must be an http or https address.');
  return context.send({
    method: 'POST',
    url: endpoint,
    headers: { ...TOKEN_HEADERS, 'content-type': 'application/json', ...endpointAuthorization(context) },
    body: JSON.stringify({
      role_arn: role.arn,
      external_id: role.externalId,
      region: role.region,
      service: role.service,
    }),
  });
}

/** An endpoint without `stsAuthType` is called without credentials: it may trust the network it stands in. */
function endpointAuthorization(context: TokenContext): Record<string, string> {
  const read = (name: string): string => {
    const value = customValue(context, name);
    if (value !== undefined) return value;
    throw new HomeportError(
      'missing_aws_sigv4_sts_credentials',
      `The integration lacks ${name} for its STS endpoint. Enter it in its settings.`,
    );
  };
  switch (customValue(context, 'stsAuthType')) {
    case undefined:
      return {};
    case 'api_key': {
      const name = (customValue(context, 'stsAuthHeader') ?? DEFAULT_HEADER).toLowerCase();
      if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
        throw new HomeportError('invalid_aws_sigv4_config', 'stsAuthHeader is not the name of a header.');
      return { [name]: checkHeaderValue(name, read('stsApiKey')) };
    }
    case 'basic': {
      const pair = `${read('stsAuthUsername')}:${read('stsAuthPassword')}`;
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    }
    default:
      throw new HomeportError('invalid_aws_sigv4_config', 'stsAuthType must be api_key or basic.');
  }
}

function readKeys(answer: TokenAnswer, startedAt: number): AssumedRole | undefined {
  const document = answer.json ?? readXml(answer);
  const keys = KEY_ROOTS.map((root) => valueAt(document, root)).find((found) => found !== undefined) ?? document;
  const read = (...names: string[]): unknown => names.map((name) => valueAt(keys, name)).find((found) => found);
  const accessKeyId = tokenText(read('AccessKeyId', 'accessKeyId', 'access_key_id'));
  const secretAccessKey = tokenText(read('SecretAccessKey', 'secretAccessKey', 'secret_access_key'));
  const sessionToken = tokenText(read('SessionToken', 'sessionToken', 'session_token'));
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) return undefined;
  const expiry = { expires_at: read('Expiration', 'expiration', 'expires_at'), expires_in: read('expires_in') };
  const expiresAt = readExpiry(expiry, startedAt) ?? startedAt + ROLE_SECONDS * 1_000;
  return { accessKeyId, secretAccessKey, sessionToken, expiresAt };
}

function stsRefusal(context: TokenContext, answer: TokenAnswer): HomeportError {
  const message = valueAt(readXml(answer), 'ErrorResponse.Error.Message');
  return providerRefusal({
    code: 'aws_sigv4_sts_request_failed',
    what: 'The role was not assumed',
    answer: answer.json === undefined ? { ...answer, json: { message } } : answer,
    context,
    sent: {},
  });
}
