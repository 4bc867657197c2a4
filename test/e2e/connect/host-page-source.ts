/** An app's page: it opens Connect UI through the official client and records every event. */
export const HOST_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Orchard CRM</title>
<style>
  body { margin: 0; padding: 40px 48px; background: #fbf7ef; color: #33291a; font: 16px/1.5 system-ui, sans-serif }
  table { width: 100%; border-collapse: collapse } td { padding: 12px 0; border-bottom: 1px solid #e8dfcc }
</style>
<h1>Orchard CRM</h1><p>Connected accounts</p>
<table><tr><td>Trees</td><td>412</td></tr><tr><td>Growers</td><td>38</td></tr><tr><td>Presses</td><td>7</td></tr></table>
<script type="module">
  import Nango from '/frontend/index.js';
  window.events = [];
  window.openConnect = ({ apiURL, ...settings }, sessionToken) => {
    const nango = new Nango({ host: apiURL });
    const ui = nango.openConnectUI({ apiURL, ...settings, onEvent: (event) => window.events.push(event) });
    window.setToken = (token) => ui.setSessionToken(token);
    if (sessionToken) ui.setSessionToken(sessionToken);
  };
  document.documentElement.dataset.ready = 'yes';
</script></html>`;
