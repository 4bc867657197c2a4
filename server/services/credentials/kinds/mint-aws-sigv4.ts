import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Mint } from '../token-context.ts';
import { toIsoTime } from '../token-expiry.ts';
import { assumeRole } from './assume-role.ts';
import { readAwsRole } from './aws-role.ts';
import { isSessionOfRole } from './aws-sts.ts';

/** AWS_SIGV4: keys of an assumed role, tried when the connection is made, not again when they are renewed. */
export const mintAwsSigv4: Mint = async (context, given) => {
  const role = readAwsRole(context, given);
  const assumed = await assumeRole(context, role);
  const isRenewal = given['session_token'] !== undefined;
  if (!isRenewal && !(await isSessionOfRole(context, role, { ...assumed, region: role.region, service: 'sts' })))
    throw new HomeportError(
      'connection_test_failed',
      'AWS does not take the keys of the role, or they belong to another one. Check the role and its trust policy.',
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
