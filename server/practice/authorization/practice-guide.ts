import type { PracticeClient } from './practice-client.ts';
import { type Html, html } from './practice-html.ts';
import { PRACTICE_SCOPES } from './practice-scopes.ts';

/** What a developer copies into an integration, and how to provoke the failures that real providers have. */
export function practiceGuide(client: PracticeClient): Html {
  return html`<p>A provider without accounts, for trying out every kind of sign-in. Nothing here is secret, and a restart forgets every token.</p>
<h2>For the integration</h2>
<dl>
${row('Client id (consumer key)', html`<code>${client.id}</code>`)}
${row('Client secret (consumer secret)', html`<code>${client.secret}</code>`)}
${row('Redirect address', html`any address of this computer that ends in <code>/oauth/callback</code>`)}
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
${row('A missing scope', html`Leave one out: the answer is 403 and names it.`)}
${row('A wrong redirect address', html`Any other path than <code>/oauth/callback</code>.`)}
${row('A failing token request', html`Add <code>?practice_fail=503</code> to the token address.`)}
</dl>`;
}

function row(term: string, content: Html): Html {
  return html`<div><dt>${term}</dt><dd>${content}</dd></div>\n`;
}
