import { createHash } from 'node:crypto';
import { parseCookie } from 'cookie';
import type { Response } from 'express';
import { CALLBACK_PAGE, CALLBACK_PAGE_HEADER, isRedirectMismatch, landingUrl } from '../contract/callback-page.ts';
import { isLoopbackName } from '../platform/http/host-guard.ts';
import type { ApiRequest, Handler } from '../platform/http/route.ts';
import { validateQuery } from '../platform/http/validate.ts';
import type { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { callbackQuery } from './authorization.contract.ts';
import type { AuthorizationService, CallbackOutcome, CallbackQuery } from './authorization.service.ts';

export interface FinishDeps {
  authorization: AuthorizationService;
  logger: Logger;
  /** Origin of the dashboard for people on this computer. */
  dashboardUrl(): string;
}

/** Status of every failed callback (auth-and-connect.md 3.6). */
const FAILED = 400;
/** Status of an installation whose state was never issued (auth-and-connect.md 3.7). */
const UNKNOWN = 404;
const GITHUB = 'https://github.com';

/** `GET /oauth/callback`: the provider sends the end user back (auth-and-connect.md 3.5). */
export function finishRedirect(use: FinishDeps): Handler {
  return async (request) => {
    const query = validateQuery(callbackQuery, request.query);
    if (!namesState(query) && query['installation_id'] && query['setup_action']) return sendBack(request);
    const cookies = parseCookie(request.http.headers.cookie ?? '');
    const isSameBrowser = (state: string): boolean => cookies[stateCookieName(state)] !== undefined;
    send(use, request, await use.authorization.finish(query, isSameBrowser));
    return undefined;
  };
}

/** `GET /app-auth/connect`: the end user returns from installing an app (auth-and-connect.md 3.7). */
export function finishInstallation(use: FinishDeps): Handler {
  return async (request) => {
    const query = validateQuery(callbackQuery, request.query);
    const isPlainSetup = query['setup_action'] === 'install' || query['setup_action'] === 'update';
    if (!query['state'] && isPlainSetup) return sendBack(request);
    const outcome = await use.authorization.finishInstallation(query);
    const isUnknown = !outcome.ok && outcome.callbackUrl === undefined;
    send(use, request, outcome, query['state'] && isUnknown ? UNKNOWN : FAILED);
    return undefined;
  };
}

function namesState(query: CallbackQuery): boolean {
  return Boolean(query['state'] || query['payload'] || query['customField']);
}

/** A change of an installation starts at GitHub, so the browser is sent back to the page that it came from. */
function sendBack({ http, response }: ApiRequest): undefined {
  const referer = URL.parse(http.headers.referer ?? '');
  const target = referer && /^https?:$/.test(referer.protocol) ? referer.href : GITHUB;
  response.status(302).location(target).end();
  return undefined;
}

/**
 * Undefined for a person who came through the public address: the person cannot open the dashboard from another
 * computer.
 */
function doctorOf(dashboardUrl: string, callbackUrl: string): string | undefined {
  if (!isLoopbackName(new URL(landingUrl(callbackUrl)).hostname)) return undefined;
  const asked = `redirect_uri=${callbackUrl}`;
  return `${dashboardUrl}/app/?open=callback&pasted=${encodeURIComponent(asked)}`;
}

function send(
  { logger, dashboardUrl }: FinishDeps,
  { response }: ApiRequest,
  outcome: CallbackOutcome,
  status = FAILED,
): void {
  if (outcome.ok) {
    sendSuccessPage(response, outcome);
    return;
  }
  const { callbackUrl, failure, provider, refusal } = outcome;
  if (failure.fault !== undefined) logger.error({ err: failure.fault }, 'unexpected failure of an authorization');
  const doctorUrl = callbackUrl === undefined ? undefined : doctorOf(dashboardUrl(), callbackUrl);
  sendFailurePage(response, { error: failure.error, refusal, callbackUrl, provider, status, doctorUrl });
}

interface SuccessParts {
  connection: { isPending: boolean };
  /** What the provider's page said went wrong, although the authorization succeeded. */
  refusal: Record<string, string> | undefined;
  /** Display name of the provider. */
  provider: string;
}

interface FailureParts {
  error: HomeportError;
  refusal?: Record<string, string> | undefined;
  /** The redirect address that must be registered with the provider. */
  callbackUrl?: string | undefined;
  /** Display name; undefined when the authorization failed before the provider was known. */
  provider?: string | undefined;
  status: number;
  /** The dashboard page about redirect addresses, for a person at this computer. */
  doctorUrl?: string | undefined;
}

/** Message to the page that opened this one (auth-and-connect.md 3.6). */
type Message =
  | { type: 'nango_oauth_callback_success' }
  | { type: 'nango_oauth_callback_error'; payload: { message: string; errorType: string } };

interface Card {
  kind: keyof typeof ICONS;
  title: string;
  /** Paragraphs. */
  texts: readonly string[];
  /** Redirect address that is missing in the app at the provider. */
  unregistered?: string | undefined;
  /** Dashboard page with more help. */
  doctorUrl?: string | undefined;
  /** Details for a developer. */
  details?: Record<string, string>;
}

/** Longest quote in characters; the full text is in the details. */
const MAX_QUOTE_LENGTH = 300;
const CLOSE = 'You can close this window.';

function sendSuccessPage(response: Response, { connection, refusal, provider }: SuccessParts): void {
  if (refusal) {
    const texts = [quote(provider, refusal), `The connection was created nevertheless. ${CLOSE}`];
    const card: Card = { kind: 'warn', title: `${provider} reported a problem`, texts, details: refusal };
    sendPage(response, 200, card, {
      type: 'nango_oauth_callback_error',
      payload: { message: JSON.stringify(refusal), errorType: 'connection_validation_failed' },
    });
    return;
  }
  const card: Card = connection.isPending
    ? {
        kind: 'wait',
        title: 'Waiting for approval',
        texts: [`An owner still has to approve it at ${provider}. ${CLOSE}`],
      }
    : { kind: 'ok', title: `${provider} is connected`, texts: [CLOSE] };
  sendPage(response, 200, card, { type: 'nango_oauth_callback_success' });
}

export function sendFailurePage(response: Response, parts: FailureParts): void {
  const { error, provider, refusal, status } = parts;
  const message = refusal ? JSON.stringify(refusal) : error.message;
  const errorType =
    error.code === 'connection_validation_failed' || !refusal ? error.code : 'connection_validation_failed';
  const card: Card = {
    kind: 'bad',
    title: provider === undefined ? 'Not connected' : `Could not connect ${provider}`,
    // Without a known authorization the source of these texts is unknown, so only the details show them.
    texts: [refusal && provider !== undefined ? quote(provider, refusal) : error.message],
    unregistered: [error.message, ...Object.values(refusal ?? {})].some(isRedirectMismatch)
      ? parts.callbackUrl
      : undefined,
    doctorUrl: parts.doctorUrl,
    details: { code: error.code, ...(refusal ? { ...ownWords(error), ...refusal } : {}) },
  };
  sendPage(response, status, card, { type: 'nango_oauth_callback_error', payload: { message, errorType } });
}

/** Our own error message, unless the provider's words are part of it. */
function ownWords({ code, message }: HomeportError): Record<string, string> {
  return code === 'callback_err' ? {} : { message };
}

/** The provider's own sentence, or its error code when it sent no sentence. */
function quote(provider: string, refusal: Record<string, string>): string {
  const { error, error_description: description, error_message: message, error_reason: reason } = refusal;
  const said = description ?? message ?? reason ?? error ?? Object.values(refusal).join(', ');
  return `${provider} said: “${said.length > MAX_QUOTE_LENGTH ? `${said.slice(0, MAX_QUOTE_LENGTH)}…` : said}”`;
}

const ICONS = {
  ok: '<path d="M9 12.5l2 2 4-4.5"/>',
  wait: '<path d="M12 7.5v5l3 2"/>',
  warn: '<path d="M12 8v4.5m0 3v.01"/>',
  bad: '<path d="M10 10l4 4m0-4l-4 4"/>',
} as const;

function cardOf({ kind, title, texts, unregistered, doctorUrl, details = {} }: Card): string {
  const icon = `<svg class="${kind}" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9"/>${ICONS[kind]}</svg>`;
  const rows = Object.entries(details).map(
    ([name, value]) => `<dt>${escapeText(name)}</dt><dd>${escapeText(value)}</dd>`,
  );
  const more = rows.length === 0 ? '' : `<details><summary>Details</summary><dl>${rows.join('')}</dl></details>`;
  const back = '<p id="back" hidden><a href="homeport://open/app/">Back to Homeport</a></p>';
  const body = `${texts.map((text) => `<p>${escapeText(text)}</p>`).join('')}${unregistered === undefined ? '' : adviceOf(unregistered, doctorUrl)}`;
  return `<main>${icon}<h1>${escapeText(title)}</h1><div role="${kind === 'ok' || kind === 'wait' ? 'status' : 'alert'}">${body}</div>${more}${back}</main>`;
}

function adviceOf(callbackUrl: string, doctorUrl: string | undefined): string {
  const link =
    doctorUrl === undefined
      ? ''
      : `<p><a href="${escapeText(doctorUrl)}" target="_blank" rel="noopener">Compare the addresses</a></p>`;
  return (
    '<section><p>The app at the provider does not list this redirect address. ' +
    'Add exactly this one, character by character, then connect again:</p>' +
    `<code>${escapeText(callbackUrl)}</code>${link}</section>`
  );
}

function sendPage(response: Response, status: number, card: Card, message: Message): void {
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  response.status(status);
  response.setHeader(
    'Content-Security-Policy',
    `default-src 'none'; script-src ${hash(PAGE_SCRIPT)}; style-src ${hash(PAGE_STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader(CALLBACK_PAGE_HEADER, CALLBACK_PAGE);
  response
    .type('html')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<meta name="color-scheme" content="light dark"><title>${escapeText(card.title)} · Homeport</title><style>${PAGE_STYLE}</style></head>` +
        `<body>${cardOf(card)}<template id="message">${escapeText(JSON.stringify(message))}</template><script>${PAGE_SCRIPT}</script></body></html>`,
    );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/**
 * Style and script of the pages at the end of an authorization. They are part of the page, because the public address
 * serves no other files. The colours are those of the dashboard's theme.
 */
const PAGE_STYLE = `
:root{color-scheme:light dark;--surface:#fff;--text:#12191d;--text-2:#45525a;--border:#e0e6e9;--sunken:#f7f9fa;--ok:#17714a;--run:#2a5bbf;--warn:#855600;--bad:#b42b24;--link:#0a6075;--focus:#0b7a93}
@media(prefers-color-scheme:dark){:root{--surface:#11171b;--text:#e7ecef;--text-2:#aeb9c0;--border:#212b31;--sunken:#0d1215;--ok:#63c491;--run:#8db0f7;--warn:#e2ae54;--bad:#f58d84;--link:#6cc7d9;--focus:#5cc3d7}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--surface);color:var(--text);font:14px/20px Inter,system-ui,-apple-system,"Segoe UI",sans-serif}
main{width:100%;max-width:400px;display:grid;gap:12px;justify-items:center;text-align:center;min-width:0}
svg{width:40px;height:40px;fill:none;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}
svg.ok{stroke:var(--ok)}svg.wait{stroke:var(--run)}svg.warn{stroke:var(--warn)}svg.bad{stroke:var(--bad)}
h1{margin:0;max-width:100%;font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.014em;overflow-wrap:anywhere;text-wrap:balance}
p{margin:0;color:var(--text-2);overflow-wrap:anywhere;text-wrap:balance}
div{display:grid;gap:12px;width:100%}
section{display:grid;gap:8px;margin-top:4px;padding:12px;border:1px solid var(--border);border-radius:8px;background:var(--sunken);text-align:left}
section p{font-size:13px;color:var(--text);text-wrap:pretty}
code,dd{font:12px/20px "JetBrains Mono",ui-monospace,SFMono-Regular,Consolas,monospace;overflow-wrap:anywhere}
code{user-select:all}
details{width:100%;margin-top:4px;padding-top:12px;border-top:1px solid var(--border);text-align:left;font-size:13px}
summary{width:fit-content;min-height:24px;padding:2px 4px;margin-left:-4px;cursor:pointer;color:var(--text-2);border-radius:4px}
dl{margin:8px 0 0;display:grid;gap:2px}
dt{font-size:11px;line-height:16px;color:var(--text-2)}
dd{margin:0 0 6px}
a{display:inline-block;padding:2px 4px;color:var(--link);border-radius:4px}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
`;

/**
 * Sends the outcome to the opener and to listeners of the channel. Closes the page when one of them has received it
 * (auth-and-connect.md 3.6).
 */
const PAGE_SCRIPT = `
(() => {
  const message = JSON.parse(document.getElementById('message').content.textContent);
  const channel = 'BroadcastChannel' in window ? new BroadcastChannel('nango-oauth-callback') : undefined;
  const onMessage = (event) => {
    if (event.data && event.data.type === 'nango_oauth_callback_ack') window.close();
  };
  window.addEventListener('message', onMessage);
  if (channel) channel.onmessage = onMessage;
  if (window.opener) window.opener.postMessage(message, '*');
  else document.getElementById('back').hidden = false;
  if (channel) channel.postMessage(message);
  if (message.type === 'nango_oauth_callback_success') setTimeout(() => window.close(), 500);
})();
`;

/** Name of the cookie by which the callback recognises the browser that started the authorization (auth-and-connect.md 3.2, 3.5). */
export function stateCookieName(state: string): string {
  return `oauth2-${state}`;
}
