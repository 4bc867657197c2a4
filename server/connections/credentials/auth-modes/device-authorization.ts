import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import { isJsonObject } from '../../../platform/lib/json-object.ts';
import { isSuccessStatus } from '../../../platform/lib/success-status.ts';
import { quirkOf } from '../provider-quirks/provider-quirks.ts';
import type { IssuedCredentials, TokenContext, TokenResponse } from '../token-context.ts';
import { requireParams } from './oauth2.ts';
import {
  authenticateClient,
  fillAddress,
  joinScopes,
  type OAuthClient,
  providerRefusal,
  requestTokens,
  responseMetadata,
  type TokenCall,
  tokenAddress,
  tokenText,
  toTokenRequest,
} from './token-endpoint.ts';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** What the provider gave for one sign-in with a code (RFC 8628, 3.2). */
export interface DeviceCode {
  /** Secret: whoever has it gets the tokens. */
  deviceCode: string;
  /** What the person enters. */
  userCode: string;
  verificationUri: string;
  /** The address with the code in it. */
  verificationUriComplete?: string | undefined;
  lifetimeS: number;
  intervalS: number;
}

export interface DeviceRequest {
  client: OAuthClient;
  /** Comma-separated. */
  scopes: string;
  /** Parameters of the session. */
  params: Record<string, string>;
}

export interface DeviceQuestion {
  client: OAuthClient;
  deviceCode: string;
  /** Comma-separated; as in the request for the code. */
  scopes: string;
  /** The wait that applied so far. */
  intervalS: number;
}

/** The provider's answer to one question whether the person has agreed. */
export type DeviceAnswer =
  | { state: 'pending'; intervalS: number }
  | { state: 'denied' | 'expired' }
  | { state: 'issued'; issued: IssuedCredentials };

const DEFAULT_INTERVAL_S = 5;
/** Added for each `slow_down` (RFC 8628, 3.5). */
const SLOWER_S = 5;
/** For providers that do not say how long a code lasts, although they must. */
const DEFAULT_LIFETIME_S = 900;

/** Asks for a code that a person enters at the provider (RFC 8628, 3.1). */
export async function requestDeviceCode(
  context: TokenContext,
  { client, params, scopes }: DeviceRequest,
): Promise<DeviceCode> {
  const { entry } = context;
  const address = fillAddress(context, entry.device_authorization_url ?? '', {});
  const scope = joinScopes(scopes, entry);
  const call = authenticateClient(
    {
      ...postTo(address),
      params: {
        ...(scope === '' ? {} : { [entry.device_scope_parameter ?? 'scope']: scope }),
        ...requireParams(context, entry.device_authorization_params),
        ...params,
      },
    },
    entry,
    client,
  );
  const response = await context.send(toTokenRequest(call));
  const code = isSuccessStatus(response.status) ? readDeviceCode(response) : undefined;
  if (code) return code;
  throw providerRefusal({
    code: 'device_authorization_failed',
    what: isSuccessStatus(response.status)
      ? 'The provider answered without a code and an address to enter it at'
      : 'The provider gave no code for the sign-in',
    response,
    context,
    sent: { ...call.params, header: call.headers['authorization'] ?? '' },
  });
}

/** Asks once for the tokens. Throws for every other refusal. */
export async function requestDeviceTokens(
  context: TokenContext,
  { client, deviceCode, intervalS, scopes }: DeviceQuestion,
): Promise<DeviceAnswer> {
  const { entry } = context;
  const { device_scope_parameter: name } = entry;
  const params = {
    grant_type: DEVICE_GRANT,
    device_code: deviceCode,
    ...(name === undefined ? {} : { [name]: joinScopes(scopes, entry) }),
  };
  const call = authenticateClient({ ...postTo(tokenAddress(context, 'OAUTH2', {})), params }, entry, client);
  const response = await context.send({ ...toTokenRequest(call), isProbe: true });
  const known = readRefusal(response, intervalS);
  if (known) return known;
  if (response.status >= 500 || response.status === 429) throw unavailable(response.status);
  const quirk = quirkOf(entry.name);
  const tokens = await requestTokens({
    context: { ...context, send: async () => response },
    call,
    code: 'token_exchange_failed',
    quirk,
  });
  const facts = { context, client, code: '', redirectUri: '' };
  const { credentials, config } = (await quirk.afterExchange?.(tokens, facts)) ?? { credentials: tokens };
  return {
    state: 'issued',
    issued: { credentials, config: { ...responseMetadata(entry, credentials.raw), ...config } },
  };
}

/** Always as a form, also where an entry has JSON for its code exchange (RFC 8628, 3.1 and 3.4). */
function postTo(url: string): Omit<TokenCall, 'params'> {
  return { method: 'POST', url, query: {}, headers: {}, format: 'form' };
}

/** Undefined when something is missing, or could not be shown to a person as it is. */
function readDeviceCode({ json }: TokenResponse): DeviceCode | undefined {
  if (!isJsonObject(json)) return undefined;
  const deviceCode = tokenText(json['device_code']);
  const userCode = tokenText(json['user_code']);
  // Some providers kept the name of a draft.
  const address = pageAddress(json['verification_uri'] ?? json['verification_url']);
  if (deviceCode === undefined || userCode === undefined || address === undefined) return undefined;
  // It is printed in terminals, where other characters could be commands.
  if (!/^[\x20-\x7e]{1,64}$/.test(userCode)) return undefined;
  return {
    deviceCode,
    userCode,
    verificationUri: address,
    verificationUriComplete: pageAddress(json['verification_uri_complete'] ?? json['verification_url_complete']),
    lifetimeS: seconds(json['expires_in']) ?? DEFAULT_LIFETIME_S,
    intervalS: seconds(json['interval']) ?? DEFAULT_INTERVAL_S,
  };
}

/** Only addresses of pages: the person opens it with a click. */
function pageAddress(value: unknown): string | undefined {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function seconds(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined;
}

/** The answers of RFC 8628, 3.5, by their code and not their status, which differs between providers. */
function readRefusal({ json }: TokenResponse, intervalS: number): DeviceAnswer | undefined {
  if (!isJsonObject(json) || json['access_token'] !== undefined) return undefined;
  // Some providers send the code as `message`.
  const said = [json['error'], json['message']].find((text) => typeof text === 'string');
  switch (said) {
    case 'authorization_pending':
      return { state: 'pending', intervalS };
    case 'slow_down':
      return { state: 'pending', intervalS: Math.max(intervalS + SLOWER_S, seconds(json['interval']) ?? 0) };
    case 'access_denied':
    case 'authorization_declined':
      return { state: 'denied' };
    case 'expired_token':
    case 'code_expired':
      return { state: 'expired' };
    default:
      return undefined;
  }
}

function unavailable(status: number): HomeportError {
  return new HomeportError('provider_unreachable', `The provider answered ${status}. Try again later.`);
}
