import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';

/** Which role is assumed, and what for. */
export interface AwsRole {
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

/** Stored values stay; else what was entered, what the client passed, what the integration presets. */
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
export function customValue({ custom, entry }: TokenContext, name: string): string | undefined {
  return textOf(custom[name]) ?? textOf(entry.integration_config?.[name]?.default_value);
}

function readArn(arn: string | undefined): Pick<AwsRole, 'arn' | 'account' | 'name'> {
  if (arn === undefined) throw new HomeportError('missing_aws_sigv4_role_arn', 'Enter the ARN of the role.');
  const [, account, name] = ROLE_ARN.exec(arn) ?? [];
  if (account === undefined || name === undefined)
    throw new HomeportError('invalid_aws_sigv4_config', 'The role must be an ARN: arn:aws:iam::<account>:role/<name>.');
  return { arn, account, name };
}

/** The region becomes part of a host name. */
function readRegion(context: TokenContext, given: Record<string, unknown>): string {
  const region =
    textOf(given['region']) ?? textOf(context.connectionConfig['region']) ?? customValue(context, 'defaultRegion');
  if (region === undefined)
    throw new HomeportError('missing_aws_sigv4_region', 'Enter a region, or set a default one in the integration.');
  if (!/^[a-z0-9-]{1,64}$/.test(region))
    throw new HomeportError('invalid_aws_sigv4_config', 'The region may hold a to z, 0 to 9 and dashes only.');
  return region;
}

/** The person enters it into the trust policy of the role, so one that was shown before must stay. */
function readExternalId({ connectionConfig, ids }: TokenContext, given: Record<string, unknown>): string {
  const shown = textOf(connectionConfig['external_id']);
  return textOf(given['external_id']) ?? (shown !== undefined && UUID.test(shown) ? shown : ids.uuid());
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
