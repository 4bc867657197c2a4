import type { Response } from 'express';
import { type Html, html } from './practice-html.ts';

export const STYLE_PATH = '/practice.css';

interface PracticePage {
  title: string;
  content: Html;
  status?: number;
  isWide?: boolean;
  /** Where the page's form may redirect to, in addition to this origin. Without it the page may not contain a form. */
  formTargets?: string;
}

/** Sends a page that runs no script, loads nothing but its style, and cannot be framed. */
export function sendPage(response: Response, page: PracticePage): void {
  const formAction = page.formTargets === undefined ? "'none'" : `'self' ${page.formTargets}`;
  response
    .status(page.status ?? 200)
    .set({
      'content-security-policy': `default-src 'none'; style-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    .type('html')
    .send(frame(page).text);
}

function frame({ title, content, isWide }: PracticePage): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Practice tracker</title>
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<main${isWide ? html` class="wide"` : ''}>
<p class="from">Practice tracker</p>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}
