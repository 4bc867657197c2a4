import { parseSetCookie } from 'cookie';
import { decodeJwt } from 'jose';
import type { ErrorCode } from '../../../contract/error-codes.ts';
import type { AssertionRules, ProviderEntry } from '../../../integrations/catalog/entry-schema.ts';
import { isMap } from '../../../integrations/catalog/merge-entries.ts';
import type { ParamTemplate } from '../../../integrations/catalog/proxy-schema.ts';
import { valueAt } from '../../../integrations/catalog/template/resolve-template.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { IssueCredentials, TokenContext, TokenRequest, TokenResponse } from '../token-context.ts';
import { readLifetime, readMoment, toIsoTime } from '../token-expiry.ts';
import { fillHeaders, fillParams, fillText, type ParamScope, paramScope } from './fill-params.ts';
import { samlAssertion, samlEnd } from './saml-assertion.ts';
import { fillClaims, fillHeader, readKey, signJwt, signTemplateToken } from './sign-jwt.ts';
import {
  encodeParams,
  fillAddress,
  missingTokenUrl,
  providerRefusal,
  readXml,
  responseMetadata,
  TOKEN_HEADERS,
  tokenText,
} from './token-endpoint.ts';

/** TWO_STEP: a token that is fetched with entered values, in one or more requests (auth-and-connect.md 2.5). */
export const issueTwoStep: IssueCredentials = async (context, given) => {
  const preset = presetValues(context);
  const values = { ...given, ...preset };
  const { isRefresh, ...first } = chooseFirstStep(context.entry, values);
  const assertion = context.entry.assertion && !isRefresh ? await currentAssertion(context, values) : undefined;
  const isSingleUse = context.entry.assertion?.singleUse === true;
  const templateValues = {
    ...values,
    ...(assertion === undefined ? {} : { assertion }),
    ...(context.entry.signature ? await signToken(context, values) : {}),
  };
  const startedAt = context.now();
  const steps = await runSteps(context, first, templateValues);
  const { raw, ...token } = readTwoStepToken(context, steps.last, startedAt);
  return {
    credentials: {
      ...storedInputs(given, preset, isSingleUse),
      ...(assertion === undefined || isSingleUse ? {} : { assertion }),
      ...capturedHeaders(context.entry, steps.responses),
      type: 'TWO_STEP',
      ...token,
      ...(raw === undefined ? {} : { raw }),
    },
    config: responseMetadata(context.entry, steps.last.value),
  };
};

/**
 * Values that the developer set for all connections; they replace entered values and are never stored in a connection.
 */
function presetValues({ entry, custom }: TokenContext): Record<string, string> {
  const names = Object.keys(entry.integration_config ?? {});
  return Object.fromEntries(names.flatMap((name) => (custom[name] ? [[name, custom[name]]] : [])));
}

/** The refresh of the entry when there is a refresh token for it, else its token request. */
function chooseFirstStep(entry: ProviderEntry, values: Record<string, unknown>): Step & { isRefresh: boolean } {
  const { refresh_token_params: params, refresh_token_headers: headers } = entry;
  const isRefresh = Boolean((params || headers) && values['refresh_token']);
  const { token_url: tokenUrl, token_request_method: method } = entry;
  const address =
    (isRefresh ? entry.refresh_url : undefined) ?? (typeof tokenUrl === 'object' ? tokenUrl['TWO_STEP'] : tokenUrl);
  return {
    isRefresh,
    address,
    method,
    params: isRefresh ? params : entry.token_params,
    headers: (isRefresh ? headers : undefined) ?? entry.token_headers,
  };
}

/** The signed token that requests of the entry may contain. */
async function signToken(context: TokenContext, values: Record<string, unknown>): Promise<{ token: string }> {
  const { token } = await signTemplateToken(context, values, 'invalid_two_step_credentials');
  return { token };
}

/** The entered values, without values of the integration, one-time values, and members of the previous response. */
function storedInputs(
  given: Record<string, unknown>,
  preset: Record<string, string>,
  isSingleUse: boolean,
): Record<string, unknown> {
  const isOnce = (name: string): boolean => name === 'assertionOption' || (isSingleUse && name === 'assertion');
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name]) => !Object.hasOwn(preset, name) && !TWO_STEP_MEMBERS.has(name) && !isOnce(name),
    ),
  );
}

/** One token request as the entry describes it. */
export interface Step {
  address: string | undefined;
  method: 'GET' | 'POST' | undefined;
  params: Record<string, ParamTemplate> | undefined;
  headers: Record<string, string> | undefined;
}

export interface TwoStepResponse extends TokenResponse {
  /** The parsed JSON body, else the parsed XML. */
  value: unknown;
}

export interface StepResponses {
  responses: TwoStepResponse[];
  last: TwoStepResponse;
}

/** Error code by step; later steps have the general code. */
const STEP_CODES: Record<number, ErrorCode> = {
  2: 'invalid_two_step_credentials_step_2',
  3: 'invalid_two_step_credentials_step_3',
  4: 'invalid_two_step_credentials_step_4',
  5: 'invalid_two_step_credentials_step_5',
};

/** Sends the steps in order; each sees the responses of earlier steps as `stepN`, counted from 1. */
async function runSteps(context: TokenContext, first: Step, values: Record<string, unknown>): Promise<StepResponses> {
  let last = await send(context, first, values);
  if (last.status !== 200 && last.status !== 201) throw refused(context, 1, last, values);
  const responses = [last];
  const seen: Record<string, unknown> = { ...values, step1: last.value };
  for (const rules of context.entry.additional_steps ?? []) {
    const { token_url: address, token_request_method: method, token_params: params, token_headers: headers } = rules;
    last = await send(context, { address, method, params, headers }, seen);
    responses.push(last);
    if (last.status !== 200) throw refused(context, responses.length, last, seen);
    seen[`step${responses.length}`] = last.value;
  }
  return { responses, last };
}

async function send(context: TokenContext, step: Step, values: Record<string, unknown>): Promise<TwoStepResponse> {
  const response = await context.send(stepRequest(context, step, values));
  return { ...response, value: response.json ?? readXml(response) };
}

function stepRequest(context: TokenContext, step: Step, values: Record<string, unknown>): TokenRequest {
  if (!step.address) throw missingTokenUrl(context.entry);
  const scope = paramScope(context, values);
  const method = step.method ?? 'POST';
  const format = method === 'GET' ? 'query' : (context.entry.body_format ?? 'json');
  const params = fillParams(step.params, scope);
  const { url, headers, body } = encodeParams(fillAddress(context, step.address, values), params, format);
  return {
    method,
    url,
    headers: { ...TOKEN_HEADERS, ...headers, ...fillHeaders(step.headers, scope) },
    ...(body === undefined ? {} : { body }),
  };
}

function refused(context: TokenContext, step: number, response: TwoStepResponse, sent: Record<string, unknown>) {
  const code = step === 1 ? 'two_step_credentials_fetch_error' : (STEP_CODES[step] ?? 'invalid_two_step_credentials');
  const what = step === 1 ? 'The provider refused the credentials' : `The provider refused token request ${step}`;
  return providerRefusal({ code, what, response, context, sent });
}

/** Members that only a response sets; a captured header does not replace them. */
const TWO_STEP_MEMBERS: ReadonlySet<string> = new Set(['type', 'token', 'refresh_token', 'expires_at', 'raw']);

/** For responses without an expiry: 99 years (auth-and-connect.md 2.5). */
const ENDLESS_MS = 99 * 365 * 86_400_000;
/** A JWT is renewed this long before its own `exp`. */
const JWT_MARGIN_MS = 15 * 60_000;

interface TwoStepToken {
  token: string;
  refresh_token?: string;
  expires_at?: string;
  /** Absent when the response is plain text: the token itself. */
  raw?: Record<string, unknown>;
}

/** Reads the response of the last step by the paths of `token_response`. */
function readTwoStepToken({ entry }: TokenContext, response: TwoStepResponse, nowMs: number): TwoStepToken {
  const { token: tokenPath, refresh_token: refreshPath } = entry.token_response ?? {};
  const token = tokenPath ? tokenText(valueAt(response.value, tokenPath)) : wholeBody(response);
  if (token === undefined)
    throw new HomeportError(
      'invalid_two_step_credentials',
      'The response of the provider contains no token. Check the entered values.',
    );
  const refreshToken = refreshPath ? tokenText(valueAt(response.value, refreshPath)) : undefined;
  const expiresAt = expiryOf(entry, response.value, { token, refreshToken, nowMs });
  return {
    token,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(expiresAt === undefined ? {} : { expires_at: toIsoTime(expiresAt) }),
    ...(isMap(response.value) ? { raw: response.value } : {}),
  };
}

/** Values of the headers that the entry keeps; of `set-cookie` each cookie, and all of them together as `_cookies`. */
function capturedHeaders(entry: ProviderEntry, responses: TwoStepResponse[]): Record<string, string> {
  const captured = (entry.token_response_headers ?? []).flatMap((name) => {
    const values = responses.flatMap(({ headers }) => headers[name.toLowerCase()] ?? []);
    if (name.toLowerCase() === 'set-cookie') return readCookies(values);
    return values.length === 0 ? [] : [[name, values.at(-1)] as [string, string]];
  });
  return Object.fromEntries(captured.filter(([name]) => !TWO_STEP_MEMBERS.has(name)));
}

function readCookies(lines: string[]): Array<[string, string]> {
  const cookies = new Map(
    lines.flatMap((line): Array<[string, string]> => {
      const { name, value = '' } = parseSetCookie(line, { decode: (text) => text });
      return name === '' ? [] : [[name, value]];
    }),
  );
  if (cookies.size === 0) return [];
  return [...cookies, ['_cookies', [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')]];
}

function wholeBody(response: TwoStepResponse): string | undefined {
  return tokenText(response.json) ?? tokenText(response.text.trim());
}

interface Tokens {
  token: string;
  refreshToken: string | undefined;
  nowMs: number;
}

/**
 * The earliest expiry of the response, the entry and the tokens themselves; undefined when the entry says that the token
 * does not expire.
 */
function expiryOf(entry: ProviderEntry, value: unknown, { token, refreshToken, nowMs }: Tokens): number | undefined {
  const explicit = explicitExpiry(entry, value, nowMs);
  if (explicit === undefined && entry.token_expires_in_ms === 0) return undefined;
  const refreshEnd = jwtEnd(refreshToken);
  if (explicit !== undefined) return Math.min(explicit, refreshEnd);
  return Math.min(nowMs + (entry.token_expires_in_ms ?? ENDLESS_MS), jwtEnd(token), refreshEnd);
}

function explicitExpiry(entry: ProviderEntry, value: unknown, nowMs: number): number | undefined {
  const { token_expiration: path, token_expiration_strategy: strategy } = entry.token_response ?? {};
  if (!path) return undefined;
  const found = valueAt(value, path);
  return strategy === 'expireIn' ? readLifetime(found, nowMs) : readMoment(found, nowMs);
}

/** When a JWT should be renewed; infinite for other tokens. */
function jwtEnd(token: string | undefined): number {
  if (token === undefined) return Number.POSITIVE_INFINITY;
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? Number.POSITIVE_INFINITY : exp * 1_000 - JWT_MARGIN_MS;
  } catch {
    return Number.POSITIVE_INFINITY; // Not a JWT.
  }
}

/** An assertion that ends sooner than this is built again (auth-and-connect.md 2.5). */
const MIN_REST_MS = 60_000;
const JWT_LIFETIME_SECONDS = 3_600;

/** The stored assertion while it is valid, else a new one from the entry's `assertion`. */
async function currentAssertion(context: TokenContext, values: Record<string, unknown>): Promise<string> {
  const rules = context.entry.assertion ?? {};
  const { assertion: stored } = values;
  const isReusable = rules.singleUse !== true;
  if (isReusable && typeof stored === 'string' && assertionEnd(stored, rules) - context.now() >= MIN_REST_MS)
    return stored;
  const scope = paramScope(context, values);
  const keyText = rules.key === undefined ? undefined : fillText(rules.key, scope);
  // The key is entered once and not stored; without it no unsigned assertion may be sent.
  if (rules.key !== undefined && !keyText)
    throw new HomeportError(
      'invalid_two_step_credentials',
      'The assertion of this connection has expired and its key is not stored. Reconnect it and enter the key.',
    );
  return rules.type === 'jwt'
    ? jwtAssertion(context, rules, scope, keyText)
    : samlAssertion(context, rules, scope, keyText);
}

function jwtAssertion(
  { entry, ids }: TokenContext,
  rules: AssertionRules,
  scope: ParamScope,
  keyText: string | undefined,
) {
  const issuedAt = Math.floor(scope.now / 1_000);
  const header = fillHeader(rules.header, scope);
  const alg = header['alg'] ?? 'RS256';
  const encoding = entry.signature?.hmac_secret_encoding ?? 'utf8';
  const protocol = alg.startsWith('HS') ? 'HMAC' : 'RSA';
  return signJwt({
    header: { typ: 'JWT', ...header, alg },
    payload: {
      ...(rules.singleUse ? { jti: ids.uuid() } : {}),
      ...fillClaims(rules.payload, scope),
      iat: issuedAt,
      exp: issuedAt + (rules.lifetimeInSeconds ?? JWT_LIFETIME_SECONDS),
    },
    key: keyText === undefined ? undefined : readKey(keyText, { protocol, hmac_secret_encoding: encoding }),
    code: 'invalid_two_step_credentials',
  });
}

/** When an assertion ends, in milliseconds; an unreadable one counts as ended. */
function assertionEnd(assertion: string, rules: AssertionRules): number {
  if (rules.type !== 'jwt') return samlEnd(assertion);
  try {
    return (decodeJwt(assertion).exp ?? 0) * 1_000;
  } catch {
    return 0; // Not a JWT: built again.
  }
}
