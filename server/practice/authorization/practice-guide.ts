import type { PracticeClient } from './practice-client.ts';
import { type Html, html } from './practice-html.ts';
import { PRACTICE_SCOPES } from './practice-scopes.ts';

/** The values that a developer copies into an integration, and how to cause the failures of real providers. */
export function practiceGuide(client: PracticeClient): Html {
  return html`<p>A provider without accounts, for trying out every kind of authorization. Nothing here is secret, and a restart deletes all tokens.</p>
<h2>For the integration</h2>
<dl>
${row('Client id (consumer key)', html`<code>${client.id}</code>`)}
${row('Client secret (consumer secret)', html`<code>${client.secret}</code>`)}
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
