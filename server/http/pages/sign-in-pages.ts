import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { CALLBACK_PAGE, CALLBACK_PAGE_HEADER, isRedirectMismatch } from '../../contract/callback-page.ts';
import type { HomeportError } from '../../lib/homeport-error.ts';
import { SIGN_IN_SCRIPT, SIGN_IN_STYLE } from './sign-in-assets.ts';

export interface SuccessParts {
  connection: { isPending: boolean };
  /** What the provider's page said went wrong, although the sign-in went through. */
  refusal: Record<string, string> | undefined;
}

export interface FailureParts {
  error: HomeportError;
  refusal: Record<string, string> | undefined;
  /** The address that must be registered with the provider. */
  callbackUrl: string | undefined;
  status: number;
  /** The dashboard's page about redirect addresses, for whoever sits at this computer. */
  doctorUrl: string | undefined;
}

/** For the page that opened this one (auth-and-connect.md 3.6). */
type Message =
  | { type: 'nango_oauth_callback_success' }
  | { type: 'nango_oauth_callback_error'; payload: { message: string; errorType: string } };

export function sendSuccessPage(response: Response, { connection, refusal }: SuccessParts): void {
  if (refusal) {
    sendPage(
      response,
      200,
      failed({ title: 'The provider reported a problem', text: listOf(refusal), details: refusal }),
      {
        type: 'nango_oauth_callback_error',
        payload: { message: JSON.stringify(refusal), errorType: 'connection_validation_failed' },
      },
    );
    return;
  }
  const text = connection.isPending
    ? 'An owner still has to approve it at the provider. You can close this window.'
    : 'You can close this window.';
  const title = connection.isPending ? 'Almost there' : 'Connected';
  sendPage(response, 200, card('ok', title, `<p>${escapeText(text)}</p>`), { type: 'nango_oauth_callback_success' });
}

export function sendFailurePage(
  response: Response,
  { error, refusal, callbackUrl, status, doctorUrl }: FailureParts,
): void {
  const message = refusal ? JSON.stringify(refusal) : error.message;
  const errorType =
    error.code === 'connection_validation_failed' || !refusal ? error.code : 'connection_validation_failed';
  const isMismatch = [error.message, ...Object.values(refusal ?? {})].some(isRedirectMismatch);
  const advice = isMismatch && callbackUrl !== undefined ? adviseOnMismatch(callbackUrl, doctorUrl) : '';
  const parts = { title: 'Not connected', text: error.message, details: refusal ?? {}, advice };
  sendPage(response, status, failed(parts), {
    type: 'nango_oauth_callback_error',
    payload: { message, errorType },
  });
}

function failed(parts: { title: string; text: string; details: Record<string, string>; advice?: string }): string {
  const rows = Object.entries(parts.details).map(
    ([name, value]) => `<dt>${escapeText(name)}</dt><dd>${escapeText(value)}</dd>`,
  );
  const details = rows.length === 0 ? '' : `<details><summary>Details</summary><dl>${rows.join('')}</dl></details>`;
  return card('bad', parts.title, `<p>${escapeText(parts.text)}</p>${parts.advice ?? ''}${details}`);
}

/** What to do about a redirect address that is not registered. */
function adviseOnMismatch(callbackUrl: string, doctorUrl: string | undefined): string {
  const text = `The app at the provider does not list this redirect address. Add exactly this one, character by character, then connect again: ${callbackUrl}`;
  const link =
    doctorUrl === undefined
      ? ''
      : `<p><a href="${escapeText(doctorUrl)}" target="_blank" rel="noopener">Compare the addresses</a></p>`;
  return `<p class="advice">${escapeText(text)}</p>${link}`;
}

const ICONS = {
  ok: '<path d="M9 12.5l2 2 4-4.5"/>',
  bad: '<path d="M10 10l4 4m0-4l-4 4"/>',
} as const;

function card(kind: keyof typeof ICONS, title: string, body: string): string {
  const icon = `<svg class="${kind}" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9"/>${ICONS[kind]}</svg>`;
  const back = '<p id="back" hidden><a href="homeport://open/app/">Back to Homeport</a></p>';
  return `<main>${icon}<h1>${escapeText(title)}</h1><div role="${kind === 'ok' ? 'status' : 'alert'}">${body}</div>${back}</main>`;
}

function sendPage(response: Response, status: number, body: string, message: Message): void {
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
        `<meta name="color-scheme" content="light dark"><title>Homeport</title><style>${SIGN_IN_STYLE}</style></head>` +
        `<body>${body}<template id="message">${escapeText(JSON.stringify(message))}</template><script>${SIGN_IN_SCRIPT}</script></body></html>`,
    );
}

function listOf(refusal: Record<string, string>): string {
  return Object.values(refusal).join(', ');
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
