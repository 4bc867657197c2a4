import { type ApiTarget, type AuthResult, callApi } from '../../api/connect-api.ts';
import { desktopBridge } from '../../api/desktop-bridge.ts';
import { ApiError } from '../../lib/api-error.ts';
import { type AuthCall, authUrl, socketUrl } from './auth-calls.ts';
import { type AuthorizationWindow, openPopup, systemBrowser } from './authorization-window.ts';
import { type PendingCode, signInWithCode } from './code-sign-in.ts';
import { startAuthorization } from './provider-authorization.ts';

/** How long an authorization in the system's browser may take (ui.md 11.6). */
const BROWSER_LIMIT_MS = 5 * 60_000;

/** State of an attempt: a pending request, or an authorization and where it takes place. */
export type Progress =
  | { stage: 'request' }
  | { stage: 'popup'; isGone: boolean }
  | { stage: 'code'; code: PendingCode | undefined; hasExpired: boolean }
  | { stage: 'browser'; link: string | undefined; isRefused: boolean };

export interface Attempt {
  result: Promise<AuthResult>;
  /** Opens the window again, or asks for another code. */
  showAgain(): void;
  cancel(): void;
}

export interface AttemptOptions {
  target: ApiTarget;
  call: AuthCall;
  params: Record<string, string>;
  socketPath: string | undefined;
  detectsClosed: boolean;
  onProgress(progress: Progress): void;
}

/** Starts connecting. Call it while a click is handled; throws when the browser blocks the window. */
export function startAttempt(options: AttemptOptions): Attempt {
  if (!options.call.isAuthorization) return sendCredentials(options);
  if (options.call.isCode) return signInWithCode(options);
  const bridge = desktopBridge();
  return bridge ? authorizeInBrowser(options, (url) => bridge.openExternal(url)) : authorizeInPopup(options);
}

function sendCredentials({ target, call, params, onProgress }: AttemptOptions): Attempt {
  const controller = new AbortController();
  onProgress({ stage: 'request' });
  const headers = call.body ? { 'content-type': 'application/json' } : {};
  const result = callApi(authUrl(target, call, params), {
    method: 'POST',
    headers,
    signal: controller.signal,
    ...(call.body ? { body: JSON.stringify(call.body) } : {}),
  }).then(readResult);
  return { result, showAgain: () => {}, cancel: () => controller.abort() };
}

function readResult(body: unknown): AuthResult {
  const { connectionId, providerConfigKey } = (body ?? {}) as Partial<AuthResult>;
  if (typeof connectionId !== 'string' || typeof providerConfigKey !== 'string')
    throw new ApiError('unknown_error', 'Homeport answered without a connection.', 200);
  return body as AuthResult;
}

function authorizeInPopup(options: AttemptOptions): Attempt {
  const popup = openPopup();
  options.onProgress({ stage: 'popup', isGone: false });
  return authorize(options, popup, {
    detectsClosed: options.detectsClosed,
    onLink: () => {},
    onGone: (isGone) => options.onProgress({ stage: 'popup', isGone }),
  });
}

function authorizeInBrowser(options: AttemptOptions, openExternal: (url: string) => Promise<boolean>): Attempt {
  let progress = { stage: 'browser' as const, link: undefined as string | undefined, isRefused: false };
  const report = (change: Partial<typeof progress>): void => {
    progress = { ...progress, ...change };
    options.onProgress(progress);
  };
  report({});
  const browser = systemBrowser(openExternal, () => report({ isRefused: true }));
  return authorize(options, browser, {
    detectsClosed: false,
    limitMs: BROWSER_LIMIT_MS,
    onLink: (link) => report({ link }),
    onGone: () => {},
  });
}

type Manner = Pick<Parameters<typeof startAuthorization>[0], 'detectsClosed' | 'limitMs' | 'onLink' | 'onGone'>;

function authorize(
  { target, call, params, socketPath }: AttemptOptions,
  window: AuthorizationWindow,
  manner: Manner,
): Attempt {
  return startAuthorization({
    window,
    apiUrl: target.apiUrl,
    socketUrl: socketUrl(target.apiUrl, socketPath),
    urlFor: (socketClientId) => authUrl(target, call, params, socketClientId),
    ...manner,
  });
}
