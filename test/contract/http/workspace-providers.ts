import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartedServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { ApiCaller } from './api-caller.ts';

/** Providers of the auth modes that the practice provider does not have, named `own-<mode>`, all at one address. */
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
  proxy: { base_url: "${address}" }
own-custom:
  display_name: Own combined app
  auth_mode: CUSTOM
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
    subdomain: { type: string, title: Subdomain, description: Of your account }
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

/** Writes the workspace's provider file and waits until the catalogue knows all of its keys. */
export async function installProviders(server: StartedServer, api: ApiCaller, yaml: string): Promise<void> {
  await writeFile(join(server.workspace, 'providers.yaml'), yaml);
  const keys = [...yaml.matchAll(/^([a-z0-9-]+):/gm)].map(([, key]) => key);
  for (const key of keys) {
    await waitFor(async () => (await api.send(`GET /providers/${key}`)).status === 200, {
      what: `provider ${key} (${server.errorOutput()})`,
    });
  }
}
