import { type Response, Router } from 'express';
import escapeHtml from 'lodash-es/escape.js';
import { CALLBACK_PATH, PRACTICE_CLIENT, PRACTICE_SCOPES } from './practice-client.ts';

type Value = string | number | Html | readonly Html[];

/** A piece of HTML that is inserted without escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Builds a piece of HTML. Inserted texts are escaped; pieces made by this tag are not. */
export function html(pieces: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: pieces }, ...values.map(textOf)));
}

function textOf(value: Value): string {
  if (value instanceof Html) return value.text;
  return Array.isArray(value) ? value.map(textOf).join('') : escapeHtml(String(value));
}

const STYLE_PATH = '/practice.css';

/** The guide and the style sheet of all pages. */
export function practicePages(): Router {
  const router = Router();
  router.get(STYLE_PATH, (_request, response) => {
    response.type('css').set('cache-control', 'no-cache').send(STYLE);
  });
  router.get('/docs', (_request, response) => {
    sendPage(response, { title: 'How to connect to the practice tracker', content: guide(), isWide: true });
  });
  return router;
}

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

/** Sends a page with the problem and its solution, for failures that must not be sent to a redirect address. */
export function sendProblem(response: Response, title: string, content: Html): void {
  sendPage(response, { status: 400, title, content });
}

export function sendUnknownClient(response: Response): void {
  sendProblem(
    response,
    'The app is not registered',
    html`<p>The client id it sent is not registered. Enter <code>${PRACTICE_CLIENT.id}</code> as the client id of the integration.</p>`,
  );
}

export function sendRedirectMismatch(response: Response, address: string | undefined): void {
  sendProblem(
    response,
    'The redirect address does not match',
    html`<p>${address === undefined ? 'The app sent none.' : html`The app asked to return to <code>${address}</code>, which is not registered.`}</p>
<h2>Registered are</h2>
<ul><li>every address of this computer that ends in <code>${CALLBACK_PATH}</code></li>
<li>the callback address that the hub is set to use elsewhere</li></ul>
<p>At other providers, register the address exactly as the app sends it: scheme, host, port, path and the slash at the end count.</p>`,
  );
}

/** The values that a developer copies into an integration, and how to cause the failures of real providers. */
function guide(): Html {
  return html`<p>A provider without accounts, for trying out every kind of authorization. Nothing here is secret, and a restart deletes all tokens.</p>
<h2>For the integration</h2>
<dl>
${row('Client id (consumer key)', html`<code>${PRACTICE_CLIENT.id}</code>`)}
${row('Client secret (consumer secret)', html`<code>${PRACTICE_CLIENT.secret}</code>`)}
${row('Redirect address', html`any address of this computer that ends in <code>/oauth/callback</code>`)}
</dl>
<h2>The API</h2>
<p>With <code>authorization: Bearer practice-demo-key</code>, or a token of an authorization described below.</p>
<dl>
${row('The caller', html`<code>GET /v1/me</code>`)}
${row('Issues, as {issues, next_cursor}', html`<code>GET /v1/issues</code> with <code>cursor</code>, <code>limit</code>, <code>updated_since</code>, <code>state</code>`)}
${row('One issue', html`<code>POST /v1/issues</code> <code>GET</code>, <code>PATCH</code>, <code>DELETE /v1/issues/:id</code>`)}
${row('Comments, as a list', html`<code>GET /v1/comments</code> with <code>page</code>, <code>per_page</code>, <code>issue_id</code>; the next page is in the <code>Link</code> header`)}
${row('Users, as {users, total}', html`<code>GET /v1/users</code> with <code>offset</code>, <code>limit</code>`)}
${row('Labels, as {labels, page}', html`<code>GET /v1/labels</code> with <code>page</code>, <code>per_page</code>`)}
${row('Files', html`<code>GET /v1/files/:name</code> with <code>bytes</code>; <code>POST /v1/files</code>, multipart`)}
${row('Large responses', html`<code>GET /v1/export</code> with <code>records</code>, <code>bytes</code>, <code>format=ndjson</code> or <code>json</code>; <code>GET /v1/export/page</code>`)}
${row('What was sent', html`<code>/v1/echo</code> and any path below it, every method; <code>/v1/redirect?to=</code> redirects`)}
</dl>
<h2>Scopes</h2>
<dl>
${Object.entries(PRACTICE_SCOPES).map(([scope, sentence]) => row(sentence, html`<code>${scope}</code>`))}
</dl>
<h2>Addresses</h2>
<dl>
${row('OAuth 2: authorization code with PKCE (S256), refresh, client credentials', html`<code>/oauth/authorize</code> <code>/oauth/token</code> <code>/oauth/revoke</code> <code>/oauth/userinfo</code>`)}
${row('OAuth 1.0a: HMAC-SHA1 or PLAINTEXT', html`<code>/oauth1/request_token</code> <code>/oauth1/authorize</code> <code>/oauth1/access_token</code>`)}
</dl>
<h2>To see things fail</h2>
<dl>
${row('An expired token', html`Access tokens last five minutes. <code>practice_lifetime=0</code> as an authorization parameter (client credentials: of the token request) gives expired ones, any other number its seconds.`)}
${row('A stolen refresh token', html`A refresh token works once. Its second use revokes every token of that consent.`)}
${row('A revoked connection', html`Post <code>token=…</code> to <code>/oauth/revoke</code>, with the client id and secret.`)}
${row('A missing scope', html`Leave one out: the response has status 403 and names it.`)}
${row('A wrong redirect address', html`Any other path than <code>/oauth/callback</code>.`)}
${row('A failing or slow request', html`Header <code>x-practice-fail: 503</code>, <code>429,2</code> (twice) or <code>drop</code>; <code>x-practice-delay-ms: 2000</code>.`)}
${row('A failing token request', html`Add <code>?practice_fail=503</code> to the token address.`)}
</dl>`;
}

function row(term: string, content: Html): Html {
  return html`<div><dt>${term}</dt><dd>${content}</dd></div>\n`;
}

/** In the hub's colours and sizes. The pages have no scripts. */
const STYLE = `
:root {
  color-scheme: light dark;
  --bg: #f2f5f6; --surface: #fff; --sunken: #f7f9fa; --border: #e0e6e9; --border-strong: #c6d0d5; --control: #84919a;
  --text: #12191d; --text-2: #45525a; --text-3: #5f6d76; --accent: #0b6a80; --on-accent: #fff; --accent-hover: #085668;
  --accent-text: #0a6075; --selected: #e6f2f5; --hover: #f0f4f5; --focus: #0b7a93;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0b0f12; --surface: #11171b; --sunken: #0d1215; --border: #212b31; --border-strong: #36434b; --control: #65747d;
    --text: #e7ecef; --text-2: #aeb9c0; --text-3: #8896a0; --accent: #4db4c9; --on-accent: #12191d; --accent-hover: #6cc7d9;
    --accent-text: #6cc7d9; --selected: #10272f; --hover: #172026; --focus: #5cc3d7;
  }
}
@media (prefers-contrast: more) {
  :root { --text-2: var(--text); --text-3: var(--text); --border: var(--control); --border-strong: var(--control); }
}
* { box-sizing: border-box; }
/** Keeps a focused element from being hidden behind the buttons. */
html:has(.buttons) { scroll-padding-bottom: 76px; }
body {
  margin: 0; padding: 24px 16px; background: var(--bg); color: var(--text); overflow-wrap: anywhere;
  font: 14px/20px Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
main {
  max-width: 440px; margin: 0 auto; padding: 24px; background: var(--surface);
  border: 1px solid var(--border); border-radius: 8px;
}
main.wide { max-width: 720px; }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 28px; font-weight: 600; letter-spacing: -0.014em; }
h2, legend { margin: 0; padding: 0; font-size: 13px; line-height: 20px; font-weight: 600; }
h2 { margin-top: 24px; }
p { margin: 8px 0 0; color: var(--text-2); }
p.from { margin: 0 0 16px; font-size: 12px; line-height: 16px; font-weight: 500; color: var(--text-3); }
a { color: var(--accent-text); }
code { font: 12px/20px 'JetBrains Mono', ui-monospace, 'Cascadia Mono', Menlo, Consolas, monospace; color: var(--text); }
ul { list-style: none; margin: 4px 0 0; padding: 0; }
li { padding: 8px 0; border-bottom: 1px solid var(--border); }
.scopes li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 12px; }
.scopes code { color: var(--text-3); }
ul + p { margin-top: 16px; }
fieldset { margin: 24px 0 0; padding: 0; border: 0; min-width: 0; }
label {
  display: flex; align-items: center; gap: 12px; margin-top: 4px; padding: 6px 12px; cursor: pointer;
  border: 1px solid var(--border); border-radius: 6px;
}
label:hover { background: var(--hover); }
label:has(:checked) { background: var(--selected); border-color: var(--accent); }
label small { display: block; font-size: 12px; line-height: 16px; color: var(--text-3); }
input[type='radio'] { flex: none; width: 16px; height: 16px; margin: 0; accent-color: var(--accent); }
/** In a small window the buttons stay at the lower edge while the rest scrolls. */
.buttons {
  position: sticky; bottom: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 8px; margin-top: 12px; padding: 12px 0;
  background: var(--surface); border-top: 1px solid var(--border);
}
main:has(.buttons) { padding-bottom: 12px; }
button {
  min-height: 44px; padding: 0 16px; font: inherit; font-weight: 500; cursor: pointer; border-radius: 6px;
  border: 1px solid var(--border-strong); background: var(--surface); color: var(--text);
}
button:hover { background: var(--hover); }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.primary:hover { border-color: var(--accent-hover); background: var(--accent-hover); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
label:has(:focus-visible) { outline: 2px solid var(--focus); outline-offset: 2px; }
label :focus-visible { outline: none; }
p.note { margin-top: 16px; font-size: 12px; line-height: 16px; color: var(--text-3); }
dl { margin: 4px 0 0; }
dl div { padding: 8px 0; border-bottom: 1px solid var(--border); }
dt { font-size: 12px; line-height: 16px; font-weight: 500; color: var(--text-3); }
dd { margin: 0; }
@media (max-height: 640px) { body { padding-block: 0; } main { padding-block: 16px 4px; } h2, fieldset { margin-top: 16px; } }
@media (forced-colors: active) { button.primary { border-width: 2px; } }
@media (max-width: 400px) { body { padding: 0; background: var(--surface); } main { border: 0; border-radius: 0; padding: 16px 16px 4px; } }
`;
