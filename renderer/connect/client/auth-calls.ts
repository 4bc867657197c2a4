import type { ApiTarget, OfferedWay } from '../../api/connect-api.ts';

/** The values of a form, by the part of the request they belong to. */
export interface Submission {
  credentials: Record<string, string>;
  params: Record<string, string>;
  assertionOption: Record<string, string>;
}

export interface AuthCall {
  /** Either an authorization in a window at the provider, or one request. */
  isAuthorization: boolean;
  /** A sign-in with a code that the person enters at the provider. */
  isCode?: boolean;
  path: string;
  body?: Record<string, unknown>;
  /** Sent in the address of an authorization. */
  overrides?: Record<string, string>;
}

/** The parts of a provider's definition on which the call depends. */
interface Mode {
  auth_mode: string;
  installation?: unknown;
}

const AUTHORIZATION_MODES = new Set([
  'OAUTH1',
  'OAUTH2',
  'APP',
  'CUSTOM',
  'MCP_OAUTH2',
  'MCP_OAUTH2_GENERIC',
  'INSTALL_PLUGIN',
]);

type Body = (submission: Submission) => Record<string, unknown> | undefined;

const pick =
  (...names: string[]): Body =>
  ({ credentials }) =>
    Object.fromEntries(names.flatMap((name) => (name in credentials ? [[name, credentials[name]]] : [])));

const everything =
  (type: string): Body =>
  ({ credentials, assertionOption }) => ({
    ...credentials,
    type,
    ...(Object.keys(assertionOption).length === 0 ? {} : { assertionOption }),
  });

/** Address and body by auth mode (auth-and-connect.md 1.4): exactly the fields that the mode accepts. */
const REQUESTS: Record<string, [path: string, body: Body]> = {
  API_KEY: ['/api-auth/api-key', pick('apiKey')],
  AWS_SIGV4: ['/auth/aws-sigv4', pick('role_arn', 'region')],
  BASIC: [
    '/api-auth/basic',
    ({ credentials }) => ({ username: credentials['username'] ?? '', password: credentials['password'] ?? '' }),
  ],
  BILL: ['/auth/bill', pick('username', 'password', 'organization_id', 'dev_key')],
  JWT: ['/auth/jwt', everything('JWT')],
  NONE: ['/auth/unauthenticated', () => undefined],
  OAUTH2_CC: ['/oauth2/auth', pick('client_id', 'client_secret', 'client_certificate', 'client_private_key')],
  SIGNATURE: ['/auth/signature', (submission) => ({ ...pick('username', 'password')(submission), type: 'SIGNATURE' })],
  TBA: ['/auth/tba', pick('token_id', 'token_secret', 'oauth_client_id_override', 'oauth_client_secret_override')],
  TWO_STEP: ['/auth/two-step', everything('TWO_STEP')],
};

const isOutbound = ({ installation }: Mode): boolean => installation === 'outbound';

export const isAuthorization = (mode: Mode): boolean => AUTHORIZATION_MODES.has(mode.auth_mode) && !isOutbound(mode);

/** The call of a mode; undefined for an unknown mode. */
export function authCall(
  key: string,
  mode: Mode,
  submission: Submission,
  way: OfferedWay = 'redirect',
): AuthCall | undefined {
  const keyPath = `/${encodeURIComponent(key)}`;
  if (isOutbound(mode)) return { isAuthorization: false, path: `/auth/oauth-outbound${keyPath}` };
  if (isAuthorization(mode) && way === 'code')
    return { isAuthorization: true, isCode: true, path: codePath(key), overrides: submission.credentials };
  if (isAuthorization(mode))
    return { isAuthorization: true, path: `/oauth/connect${keyPath}`, overrides: submission.credentials };
  const [path, makeBody] = REQUESTS[mode.auth_mode] ?? [];
  if (path === undefined || makeBody === undefined) return undefined;
  const body = makeBody(submission);
  return { isAuthorization: false, path: path + keyPath, ...(body ? { body } : {}) };
}

/** Where a sign-in with a code begins, and where its state is (auth-and-connect.md 3.12). */
export const codePath = (key: string): string => `/oauth/device/${encodeURIComponent(key)}`;

/** The address of a call with its query (auth-and-connect.md 1.5). */
export function authUrl(
  { apiUrl, token }: ApiTarget,
  call: AuthCall,
  params: Record<string, string>,
  socketClientId?: string,
): string {
  const pairs = [
    ['connect_session_token', token],
    ...bracketed('params', params),
    ...bracketed('credentials', call.overrides ?? {}),
    ...(socketClientId === undefined ? [] : [['ws_client_id', socketClientId]]),
  ];
  const query = pairs.map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `${apiUrl}${call.path}?${query}`;
}

function bracketed(name: string, values: Record<string, string>): string[][] {
  return Object.entries(values).map(([key, value]) => [`${name}[${encodeURIComponent(key)}]`, value]);
}

/** The socket's address: the path of the API's address, then the path that the session names. */
export function socketUrl(apiUrl: string, path = '/'): string {
  const base = new URL(apiUrl);
  const url = new URL(base.pathname.replace(/\/$/, '') + (path.startsWith('/') ? path : `/${path}`), base);
  url.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}
