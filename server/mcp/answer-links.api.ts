import { createHash } from 'node:crypto';
import type { Response } from 'express';
import escapeHtml from 'lodash-es/escape.js';
import type { Handler, Route } from '../platform/http/route.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { AnswerLinks, LinkAnswer } from './answer-links.ts';

/** The two links of a question. Opening one shows a page; only its button answers, because previews open links too. */
export function answerLinksApi({ answerLinks }: { answerLinks: AnswerLinks }): Route[] {
  return (['allow', 'deny'] as const).flatMap((answer): Route[] => {
    const path = `/approvals/${answer}/:token`;
    const shown: Handler = ({ params, response }) =>
      inPage(response, () => {
        const { clientName, connectionId, integrationKey, reasons, tool } = answerLinks.find(
          answer,
          String(params['token']),
        );
        const about = `${clientName} wants to call ${tool} of ${integrationKey} with the connection ${connectionId}.`;
        return { title: `${LABELS[answer]}?`, text: about, reasons, button: LABELS[answer] };
      });
    const decided: Handler = ({ params, response }) =>
      inPage(response, async () => {
        const { clientName, tool } = await answerLinks.answer(answer, String(params['token']));
        return { title: DONE[answer], text: `${tool} for ${clientName}. You can close this page.` };
      });
    return [
      { method: 'get', path, access: 'public', handler: shown },
      { method: 'post', path, access: 'public', handler: decided },
    ];
  });
}

const LABELS: Record<LinkAnswer, string> = { allow: 'Allow once', deny: 'Deny' };
const DONE: Record<LinkAnswer, string> = { allow: 'Allowed once', deny: 'Denied' };

interface Page {
  title: string;
  text: string;
  reasons?: readonly string[];
  button?: string;
}

async function inPage(response: Response, work: () => Page | Promise<Page>): Promise<undefined> {
  try {
    sendPage(response, 200, await work());
  } catch (error) {
    if (!(error instanceof HomeportError)) throw error;
    sendPage(response, error.status, { title: 'Not answered', text: error.message });
  }
  return undefined;
}

function sendPage(response: Response, status: number, { button, reasons = [], text, title }: Page): void {
  const style = createHash('sha256').update(STYLE).digest('base64');
  response.status(status);
  response.setHeader(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  );
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  const form = button === undefined ? '' : `<form method="post"><button>${escapeHtml(button)}</button></form>`;
  const why = reasons.map((reason) => `<p class="why">${escapeHtml(reason)}</p>`).join('');
  response
    .type('html')
    .send(
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
        `<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)} · Homeport</title><style>${STYLE}</style></head>` +
        `<body><main><b>Homeport</b><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${why}${form}</main></body></html>`,
    );
}

/** Part of the page, because the public address serves no other files. The colours are those of the dashboard's theme. */
const STYLE = `
:root{color-scheme:light dark;--surface:#fff;--text:#12191d;--text-2:#45525a;--fill:#0a6075;--on-fill:#fff;--focus:#0b7a93;--warn:#7a4b00;--warn-line:#e2b25c}
@media(prefers-color-scheme:dark){:root{--surface:#11171b;--text:#e7ecef;--text-2:#aeb9c0;--fill:#6cc7d9;--on-fill:#0d1215;--focus:#5cc3d7;--warn:#f0b456;--warn-line:#6d5427}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--surface);color:var(--text);font:14px/20px Inter,system-ui,-apple-system,"Segoe UI",sans-serif}
main{width:100%;max-width:400px;display:grid;gap:12px;text-align:center}
b{color:var(--text-2);font-size:12px;line-height:16px}
.why{padding:12px;border:1px solid var(--warn-line);border-radius:8px;color:var(--warn);text-align:left}
h1{margin:0;font-size:20px;line-height:28px;font-weight:600}
p{margin:0;color:var(--text-2);overflow-wrap:anywhere}
button{width:100%;min-height:44px;margin-top:4px;border:0;border-radius:8px;background:var(--fill);color:var(--on-fill);font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
`;
