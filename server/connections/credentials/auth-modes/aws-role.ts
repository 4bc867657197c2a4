import { valueAt } from '../../../integrations/catalog/template/resolve-template.ts';
import { type AwsKey, signAwsRequest } from '../../../platform/lib/aws-signature.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { isSuccessStatus } from '../../../platform/lib/success-status.ts';
import type { TokenContext, TokenRequest, TokenResponse } from '../token-context.ts';
import { readExpiry } from '../token-expiry.ts';
import { checkHeaderValue } from './fill-params.ts';
import { basic, formText, providerRefusal, readXml, TOKEN_HEADERS, tokenText } from './token-endpoint.ts';

/** The role to assume, and where. */
interface AwsRole {
  arn: string;
  account: string;
  /** The last part of the ARN. */
  name: string;
  externalId: string;
  region: string;
  service: string;
}

const ROLE_ARN = /^arn:aws[\w-]*:iam::(\d{12}):role\/(?:[\w+=,.@/-]+\/)?([\w+=,.@-]+)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * The role from entered or stored values (`given`). For the service, the integration's value takes precedence; for the
 * region, the given one. Throws for missing and invalid values.
 */
export function readAwsRole(context: TokenContext, given: Record<string, unknown>): AwsRole {
  const identity = readArn(textOf(given['role_arn']));
  const service = customValue(context, 'service') ?? textOf(given['service']);
  if (service === undefined)
    throw new HomeportError(
      'missing_aws_sigv4_service',
      'The integration names no AWS service. Enter it in its settings.',
    );
  return { ...identity, externalId: readExternalId(context, given), region: readRegion(context, given), service };
}

/** A value of the integration, or what its provider presets. */
function customValue({ custom, entry }: TokenContext, name: string): string | undefined {
  return textOf(custom[name]) ?? textOf(entry.integration_config?.[name]?.default_value);
}

function readArn(arn: string | undefined): Pick<AwsRole, 'arn' | 'account' | 'name'> {
  if (arn === undefined) throw new HomeportError('missing_aws_sigv4_role_arn', 'Enter the ARN of the role.');
  const [, account, name] = ROLE_ARN.exec(arn) ?? [];
  if (account === undefined || name === undefined)
    throw new HomeportError('invalid_aws_sigv4_config', 'The role must be an ARN: arn:aws:iam::<account>:role/<name>.');
  return { arn, account, name };
}

/** Checked strictly, because the region becomes part of a host name. */
function readRegion(context: TokenContext, given: Record<string, unknown>): string {
  const region =
    textOf(given['region']) ?? textOf(context.connectionConfig['region']) ?? customValue(context, 'defaultRegion');
  if (region === undefined)
    throw new HomeportError('missing_aws_sigv4_region', 'Enter a region, or set a default one in the integration.');
  if (!/^[a-z0-9-]{1,64}$/.test(region))
    throw new HomeportError('invalid_aws_sigv4_config', 'The region may hold a to z, 0 to 9 and dashes only.');
  return region;
}

/** The person enters the external id in the trust policy of the role, so one that was shown before is kept. */
function readExternalId({ connectionConfig, ids }: TokenContext, given: Record<string, unknown>): string {
  const shown = textOf(connectionConfig['external_id']);
  return textOf(given['external_id']) ?? (shown !== undefined && UUID.test(shown) ? shown : ids.uuid());
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Keys of an assumed role. */
interface AssumedRole {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Where the keys are: in the XML of AWS, or in the JSON of a custom endpoint, with or without a wrapper. */
const KEY_ROOTS = ['AssumeRoleResponse.AssumeRoleResult.Credentials', 'Credentials', 'credentials', 'data'];
const DEFAULT_HEADER = 'x-api-key';

/** Assumes the role at AWS, or through the endpoint that the integration names (auth-and-connect.md 2.7). */
export async function assumeRole(context: TokenContext, role: AwsRole): Promise<AssumedRole> {
  const startedAt = context.now();
  const endpoint = customValue(context, 'stsEndpointUrl');
  const mode = customValue(context, 'stsMode') ?? (endpoint === undefined ? 'builtin' : 'custom');
  const response =
    mode === 'builtin' ? await assumeRoleAtAws(context, role) : await assumeRoleAt(context, role, endpoint);
  const assumed = readKeys(response, startedAt);
  if (isSuccessStatus(response.status) && assumed) return assumed;
  throw stsRefusal(context, response);
}

function assumeRoleAt(context: TokenContext, role: AwsRole, endpoint: string | undefined): Promise<TokenResponse> {
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

/** An endpoint without `stsAuthType` is called without credentials: it may trust its network. */
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
    case 'basic':
      return { authorization: basic(read('stsAuthUsername'), read('stsAuthPassword')) };
    default:
      throw new HomeportError('invalid_aws_sigv4_config', 'stsAuthType must be api_key or basic.');
  }
}

function readKeys(response: TokenResponse, startedAt: number): AssumedRole | undefined {
  const document = response.json ?? readXml(response);
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

function stsRefusal(context: TokenContext, response: TokenResponse): HomeportError {
  const message = valueAt(readXml(response), 'ErrorResponse.Error.Message');
  return providerRefusal({
    code: 'aws_sigv4_sts_request_failed',
    what: 'The role was not assumed',
    response: response.json === undefined ? { ...response, json: { message } } : response,
    context,
    sent: {},
  });
}

const API_VERSION = '2011-06-15';
/** Session length that AWS allows for a role without further settings. */
const ROLE_SECONDS = 3_600;

/** Calls the Security Token Service of AWS with the keys of the integration. */
function assumeRoleAtAws(context: TokenContext, role: AwsRole): Promise<TokenResponse> {
  const accessKeyId = customValue(context, 'awsAccessKeyId');
  const secretAccessKey = customValue(context, 'awsSecretAccessKey');
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new HomeportError(
      'missing_aws_sigv4_access_key',
      'The integration has no AWS access key to assume roles with. Enter it in its settings.',
    );
  const key = { accessKeyId, secretAccessKey, region: role.region, service: 'sts' };
  const params = {
    Action: 'AssumeRole',
    Version: API_VERSION,
    RoleArn: role.arn,
    RoleSessionName: `homeport-${context.ids.hex(8)}`,
    ExternalId: role.externalId,
    DurationSeconds: String(ROLE_SECONDS),
  };
  return callSts(context, key, params);
}

/** Whether the keys belong to a session of the role. The same name in another account is another role. */
export async function isSessionOfRole(context: TokenContext, role: AwsRole, key: AwsKey): Promise<boolean> {
  const response = await callSts(context, key, { Action: 'GetCallerIdentity', Version: API_VERSION });
  const arn = valueAt(readXml(response), 'GetCallerIdentityResponse.GetCallerIdentityResult.Arn');
  return (
    response.status === 200 && typeof arn === 'string' && arn.includes(`::${role.account}:assumed-role/${role.name}/`)
  );
}

function callSts(context: TokenContext, key: AwsKey, params: Record<string, string>): Promise<TokenResponse> {
  const host = `sts.${key.region}.amazonaws.com${key.region.startsWith('cn-') ? '.cn' : ''}`;
  const body = formText(params);
  const headers = {
    ...TOKEN_HEADERS,
    accept: 'application/xml',
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
  };
  const signature = signAwsRequest(
    { method: 'POST', host, path: '/', headers, body },
    { ...key, service: 'sts' },
    context.now(),
  );
  const request: TokenRequest = {
    method: 'POST',
    url: `https://${host}/`,
    headers: { ...headers, ...signature },
    body,
  };
  return context.send(request);
}
