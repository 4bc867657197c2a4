/**
 * Style and script of the pages at the end of a sign-in. They stand in the page itself: the public address serves
 * nothing else. Colours are those of the dashboard's theme.
 */
export const SIGN_IN_STYLE = `
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

/** Tells the opener, and whoever listens on the channel, how it ended; closes once it is heard (auth-and-connect.md 3.6). */
export const SIGN_IN_SCRIPT = `
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
