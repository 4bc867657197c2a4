import { valueAt } from '../../../catalog/template/resolve-template.ts';
import { type AwsKey, signAwsRequest } from '../../../lib/aws-signature.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenAnswer, TokenContext, TokenRequest } from '../token-context.ts';
import { type AwsRole, customValue } from './aws-role.ts';
import { formText } from './encode-params.ts';
import { readXml, TOKEN_HEADERS } from './token-answer.ts';

const API_VERSION = '2011-06-15';
/** What a role may be assumed for without a setting of its own at AWS. */
export const ROLE_SECONDS = 3_600;

/** Asks the Security Token Service of AWS itself, with the keys of the integration. */
export function assumeRoleAtAws(context: TokenContext, role: AwsRole): Promise<TokenAnswer> {
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

/** Whether the keys belong to a session of the role: the same name under another account is another role. */
export async function isSessionOfRole(context: TokenContext, role: AwsRole, key: AwsKey): Promise<boolean> {
  const answer = await callSts(context, key, { Action: 'GetCallerIdentity', Version: API_VERSION });
  const arn = valueAt(readXml(answer), 'GetCallerIdentityResponse.GetCallerIdentityResult.Arn');
  return (
    answer.status === 200 && typeof arn === 'string' && arn.includes(`::${role.account}:assumed-role/${role.name}/`)
  );
}

function callSts(context: TokenContext, key: AwsKey, params: Record<string, string>): Promise<TokenAnswer> {
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
