/** The consent page of a provider: one link to allow, one to refuse. */
export function providerPage(integration: string, state: string): string {
  const callback = `/oauth/callback?state=${encodeURIComponent(state)}`;
  return `<!doctype html><meta charset="utf-8"><title>Provider</title><h1>Sign in for ${integration}</h1>
<a href="${callback}&code=1">Allow</a> <a href="${callback}&error=access_denied">Deny</a>`;
}

/** The page on which an authorization ends (auth-and-connect.md 3.6). */
export function callbackPage(message: { type: string; payload?: unknown }): string {
  return `<!doctype html><meta charset="utf-8"><title>Callback</title><p>${message.type}</p><script>
const message = ${JSON.stringify(message)};
const channel = new BroadcastChannel('nango-oauth-callback');
const onAnswer = (event) => { if (event.data?.type === 'nango_oauth_callback_ack') window.close(); };
channel.onmessage = onAnswer;
addEventListener('message', onAnswer);
if (window.opener) window.opener.postMessage(message, '*');
channel.postMessage(message);
if (message.type === 'nango_oauth_callback_success') setTimeout(() => window.close(), 500);
</script>`;
}
