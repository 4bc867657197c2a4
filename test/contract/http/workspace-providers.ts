import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type InProcessOptions, type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { type StartedServer, type StartServerOptions, startServer } from '../../support/start-server.ts';
import { createTempHome } from '../../support/temp-home.ts';

/** Providers of the auth modes that the practice provider lacks, named `own-<mode>`, all at one address. */
export function providersOfEveryMode(address: string): string {
  return `
own-oauth2:
  display_name: Own OAuth 2
  auth_mode: OAUTH2
  authorization_url: ${address}/authorize
  token_url: ${address}/token
  default_scopes: [read, write]
  proxy: { base_url: "${address}" }
own-oauth1:
  display_name: Own OAuth 1
  auth_mode: OAUTH1
  request_url: ${address}/request
  authorization_url: ${address}/authorize
  token_url: ${address}/token
  proxy: { base_url: "${address}" }
own-cc:
  display_name: Own client credentials
  auth_mode: OAUTH2_CC
  token_url: ${address}/token
  proxy: { base_url: "${address}" }
own-basic:
  display_name: Own Basic
  auth_mode: BASIC
  proxy: { base_url: "${address}" }
own-checked-basic:
  display_name: Own checked Basic
  auth_mode: BASIC
  proxy: { base_url: "${address}", verification: { endpoints: [/check, /check-again] } }
own-none:
  display_name: Own without credentials
  auth_mode: NONE
  proxy: { base_url: "${address}" }
own-tba:
  display_name: Own TBA
  auth_mode: TBA
  proxy: { base_url: "${address}", verification: { endpoints: [/check] } }
own-app:
  display_name: Own app
  auth_mode: APP
  token_url: ${address}/app/installations/\${connectionConfig.installation_id}/access_tokens
  proxy: { base_url: "${address}" }
own-custom:
  display_name: Own combined app
  auth_mode: CUSTOM
  authorization_url: ${address}/authorize
  token_url:
    OAUTH2: ${address}/token
    APP: ${address}/app/installations/\${connectionConfig.installation_id}/access_tokens
  proxy: { base_url: "${address}" }
own-two-step:
  display_name: Own two-step
  auth_mode: TWO_STEP
  token_url: ${address}/token
  token_response: { token: access }
  integration_config:
    partner_key: { type: string, title: Partner key, description: From the partner portal, secret: true }
    region: { type: string, title: Region, description: Where it runs, enum: [eu, us], default_value: eu }
  proxy: { base_url: "${address}" }
own-key:
  display_name: Own API key
  auth_mode: API_KEY
  credentials:
    apiKey: { type: string, title: Key, description: The key, secret: true }
  proxy:
    base_url: "${address}"
    headers: { x-own-key: "\${apiKey}" }
own-hosted:
  display_name: Own hosted
  auth_mode: API_KEY
  credentials:
    apiKey: { type: string, title: Key, description: The key, secret: true }
  connection_config:
    subdomain: { type: string, title: Subdomain, description: Of your account, pattern: "^[a-z0-9-]+$" }
  proxy:
    base_url: https://\${connectionConfig.subdomain}.provider.test
    headers: { x-own-key: "\${apiKey}" }
own-placeless:
  display_name: Own without address
  auth_mode: NONE
own-keyed-query:
  display_name: Own key in the query
  auth_mode: API_KEY
  credentials:
    apiKey: { type: string, title: Key, description: The key, secret: true }
  connection_config:
    tenant_secret: { type: string, title: Tenant secret, description: Secret of the tenant, secret: true }
  proxy:
    base_url: "${address}/\${connectionConfig.tenant_secret}"
    query: { key: "\${apiKey}" }
`;
}

/** A server within the test's process whose workspace describes these providers; its data folder goes with it. */
export function startWithProviders(
  yaml: string,
  env: Record<string, string> = {},
  options: Pick<InProcessOptions, 'clock'> = {},
): Promise<InProcessServer> {
  return startOnWorkspace(yaml, (home) => startInProcess({ ...options, home, env }));
}

/** The same with a server in its own process. */
export function startProcessWithProviders(yaml: string, options: StartServerOptions = {}): Promise<StartedServer> {
  return startOnWorkspace(yaml, (home) => startServer({ ...options, home }));
}

async function startOnWorkspace<Server extends { stop(): Promise<void> }>(
  yaml: string,
  start: (home: string) => Promise<Server>,
): Promise<Server> {
  const home = await createTempHome();
  const workspace = join(home.path, 'functions');
  await mkdir(workspace);
  await writeFile(join(workspace, 'providers.yaml'), yaml);
  const server = await start(home.path);
  const stop = server.stop.bind(server);
  return Object.assign(server, { stop: () => stop().finally(() => home.remove()) });
}
