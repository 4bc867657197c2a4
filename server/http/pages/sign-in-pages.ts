import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { CALLBACK_PAGE, CALLBACK_PAGE_HEADER, isRedirectMismatch } from '../../contract/callback-page.ts';
import type { HomeportError } from '../../lib/homeport-error.ts';
import { SIGN_IN_SCRIPT, SIGN_IN_STYLE } from './sign-in-assets.ts';

export interface SuccessParts {
  connection: { isPending: boolean };
  /** What the provider's page said went wrong, although the sign-in went through. */
  refusal: Record<string, string> | undefined;
  /** Its display name. */
  provider: string;
}

export interface FailureParts {
  error: HomeportError;
  refusal?: Record<string, string> | undefined;
  /** The address that must be registered with the provider. */
  callbackUrl?: string | undefined;
  /** Display name; undefined where the sign-in never got so far. */
  provider?: string | undefined;
  status: number;
  /** The dashboard's page about redirect addresses, for whoever sits at this computer. */
  doctorUrl?: string | undefined;
}

/** For the page that opened this one (auth-and-connect.md 3.6). */
type Message =
  | { type: 'nango_oauth_callback_success' }
  | { type: 'nango_oauth_callback_error'; payload: { message: string; errorType: string } };

interface Card {
  kind: keyof typeof ICONS;
  title: string;
  /** Paragraphs. */
  texts: readonly string[];
  /** Redirect address that the app at the provider does not list. */
  unregistered?: string | undefined;
  /** Where to look further. */
  doctorUrl?: string | undefined;
  /** What a developer wants to know. */
  details?: Record<string, string>;
}

/** The rest stands in the details. */
const LONGEST_QUOTE = 300;
const CLOSE = 'You can close this window.';

export function sendSuccessPage(response: Response, { connection, refusal, provider }: SuccessParts): void {
  if (refusal) {
    const texts = [quote(provider, refusal), `The connection was made all the same. ${CLOSE}`];
    const card: Card = { kind: 'warn', title: `${provider} reported a problem`, texts, details: refusal };
    sendPage(response, 200, card, {
      type: 'nango_oauth_callback_error',
      payload: { message: JSON.stringify(refusal), errorType: 'connection_validation_failed' },
    });
    return;
  }
  const card: Card = connection.isPending
    ? { kind: 'wait', title: 'Almost there', texts: [`An owner still has to approve it at ${provider}. ${CLOSE}`] }
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
    // Of a sign-in that is not known nobody can say whose words these are: they stand in the details alone.
    texts: [refusal && provider !== undefined ? quote(provider, refusal) : error.message],
    unregistered: [error.message, ...Object.values(refusal ?? {})].some(isRedirectMismatch)
      ? parts.callbackUrl
      : undefined,
    doctorUrl: parts.doctorUrl,
    details: { code: error.code, ...(refusal ? { ...ownWords(error), ...refusal } : {}) },
  };
  sendPage(response, status, card, { type: 'nango_oauth_callback_error', payload: { message, errorType } });
}

/** Beside the provider's words only where they are not made of them. */
function ownWords({ code, message }: HomeportError): Record<string, string> {
  return code === 'callback_err' ? {} : { message };
}

/** The provider's own sentence where it has one, else its code. */
function quote(provider: string, refusal: Record<string, string>): string {
  const { error, error_description: description, error_message: message, error_reason: reason } = refusal;
  const said = description ?? message ?? reason ?? error ?? Object.values(refusal).join(', ');
  return `${provider} said: “${said.length > LONGEST_QUOTE ? `${said.slice(0, LONGEST_QUOTE)}…` : said}”`;
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
    `default-src 'none'; script-src ${hash(SIGN_IN_SCRIPT)}; style-src ${hash(SIGN_IN_STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader(CALLBACK_PAGE_HEADER, CALLBACK_PAGE);
  response
    .type('html')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<meta name="color-scheme" content="light dark"><title>${escapeText(card.title)} · Homeport</title><style>${SIGN_IN_STYLE}</style></head>` +
        `<body>${cardOf(card)}<template id="message">${escapeText(JSON.stringify(message))}</template><script>${SIGN_IN_SCRIPT}</script></body></html>`,
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
