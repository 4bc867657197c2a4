import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { ApiCaller } from './api-caller.ts';

const CANARIES = {
  nestedToken: 'canary-nested-access-token',
  configToken: 'canary-sharepoint-token',
};

let home: TempHome;
let server: StartedServer;
let api: ApiCaller;
let provider: FakeProvider;

beforeAll(async () => {
  home = await createTempHome();
  provider = await FakeProvider.start();
  const workspace = join(home.path, 'functions');
  await mkdir(workspace);
  await writeFile(
    join(workspace, 'providers.yaml'),
    `
repeating:
  display_name: Repeating
  auth_mode: OAUTH2
  authorization_url: ${provider.address}/authorize
  token_url: ${provider.address}/token
  connection_config:
    sharepointAccessToken: { type: string, title: Token, description: Not called secret here }
  proxy:
    base_url: "${provider.address}"
    headers: { x-second: "\${connectionConfig.sharepointAccessToken}" }
`,
  );
  server = await startServer({
    home: home.path,
    env: { HOMEPORT_LOGGER_LEVEL: 'debug', HOMEPORT_PROGRAM_LOG: 'debug' },
  });
  api = new ApiCaller(server);
  const credentials = { type: 'OAUTH2', client_id: 'client-1', client_secret: 'secret-1' };
  await api.send('POST /integrations', { body: { provider: 'repeating', unique_key: 'repeating', credentials } });
  await api.send('POST /connections', {
    body: {
      provider_config_key: 'repeating',
      connection_id: 'c',
      credentials: {
        type: 'OAUTH2',
        access_token: 'token-1',
        refresh_token: 'refresh-1',
        expires_in: 3600,
        raw: { authed_user: { access_token: CANARIES.nestedToken } },
      },
      connection_config: { sharepointAccessToken: CANARIES.configToken },
    },
  });
});
afterAll(async () => {
  // Already stopped, unless the test failed before.
  await server?.kill();
  await provider?.stop();
  await home?.remove();
});

describe('a secret that a provider repeats', () => {
  it('reaches neither the answer nor the log, from a refusal or from an answer’s header', async () => {
    provider
      .on('POST /token', {
        status: 400,
        body: { error: 'invalid_request', error_description: `the token ${CANARIES.nestedToken} is not known` },
      })
      .on('GET /items', (request) => ({ headers: { 'x-repeated': String(request.headers['x-second']) }, body: {} }));

    const relayed = await api.send('GET /proxy/items', {
      headers: { 'provider-config-key': 'repeating', 'connection-id': 'c' },
    });
    const refused = await api.send('GET /connections/c?provider_config_key=repeating&force_refresh=true');
    await server.stop();

    expect(provider.requestsTo('/token')).toHaveLength(1);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(refused.body)).toContain('REDACTED is not known');
    expect(provider.requestsTo('/items')[0]?.headers['x-second']).toBe(CANARIES.configToken);
    expect(relayed.status).toBe(200);
    const found = await findSecrets(home.path, CANARIES, {
      stderr: server.errorOutput(),
      refused: JSON.stringify(refused.body),
    });
    expect(found).toEqual([]);
  });
});
