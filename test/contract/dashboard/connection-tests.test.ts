import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

let home: TempHome;
let provider: FakeProvider;
let hub: InProcessServer;
let client: DashboardClient;
/** Keys that the provider accepts. */
const valid = new Set<string>();
beforeAll(async () => {
  home = await createTempHome();
  provider = await FakeProvider.start();
  answerChecks();
  await mkdir(join(home.path, 'functions'));
  await writeFile(
    join(home.path, 'functions', 'providers.yaml'),
    entry('keyed', 'verification: { endpoints: [/check] }') + entry('plain', ''),
  );
  hub = await startInProcess({ home: home.path });
  client = await DashboardClient.signIn({ url: hub.url, signIn: hub });
  for (const key of ['keyed', 'plain'])
    await client.call('POST /api/v1/integrations', { body: { provider: key, key } });
});
afterAll(async () => {
  await hub?.stop();
  await provider?.stop();
  await home?.remove();
});

function answerChecks(): void {
  provider.on('GET /check', ({ headers }) => ({ status: valid.has(String(headers['x-key'])) ? 200 : 401, body: {} }));
}

function entry(name: string, more: string): string {
  return `
${name}:
  display_name: ${name}
  auth_mode: API_KEY
  credentials: { apiKey: { type: string, title: Key, description: The key, secret: true } }
  proxy: { base_url: "${provider.address}", headers: { x-key: "\${apiKey}" }${more && `, ${more}`} }
`;
}

/** A connection whose key is valid when it is created. */
async function connect(integrationKey: string, connectionId: string) {
  const apiKey = `key-of-${connectionId}`;
  valid.add(apiKey);
  await client.call('POST /api/v1/connections', {
    body: {
      provider_config_key: integrationKey,
      connection_id: connectionId,
      credentials: { type: 'API_KEY', apiKey },
    },
  });
  return {
    target: { integrationKey, connectionId },
    revoke: () => valid.delete(apiKey),
    restore: () => valid.add(apiKey),
  };
}

const test = async (...targets: object[]) =>
  (await client.call('POST /api/v1/connections/test', { body: { targets } })).results;
const detailOf = (target: { integrationKey: string; connectionId: string }) =>
  client.call('GET /api/v1/connections/:integrationKey/:connectionId', { params: target });

describe('a test of stored connections', () => {
  it('asks the provider about each, and returns its answer for each', async () => {
    const works = await connect('keyed', 'works');
    const revoked = await connect('keyed', 'revoked');
    const untestable = await connect('plain', 'untestable');
    revoked.revoke();

    const results = await test(works.target, revoked.target, untestable.target, {
      ...works.target,
      connectionId: 'gone',
    });

    const operationId = expect.any(String);
    expect(results).toEqual([
      { outcome: 'accepted', message: null, operationId },
      { outcome: 'refused', message: expect.stringContaining('status 401'), operationId },
      { outcome: 'no_test', message: null, operationId: null },
      { outcome: 'not_tested', message: expect.stringContaining('"gone"'), operationId: null },
    ]);
    const data = await waitFor(async () => {
      const { data: logged } = await client.call('GET /api/v1/logs/operations', {
        query: { types: 'auth:connection_test' },
      });
      const own = logged.filter(({ connectionName }) => connectionName === 'works' || connectionName === 'revoked');
      return own.length === 2 && own.every(({ endedAt }) => endedAt !== null) && own;
    });
    expect(data.map(({ connectionName, state, trigger }) => [connectionName, state, trigger]).sort()).toEqual([
      ['revoked', 'failed', 'ui'],
      ['works', 'success', 'ui'],
    ]);
  });

  it('marks a connection that the provider refuses, and takes the mark away when it works again', async () => {
    const { target, revoke, restore } = await connect('keyed', 'changing');
    revoke();
    await test(target);
    expect((await detailOf(target)).status).toBe('auth_error');

    restore();
    expect(await test(target)).toMatchObject([{ outcome: 'accepted' }]);
    expect((await detailOf(target)).status).toBe('ok');
  });

  it('reports that nothing was tested when a provider gives no answer, and does not change the connection', async () => {
    const { target } = await connect('keyed', 'unreached');
    provider.on('GET /check', { drop: true });
    onTestFinished(answerChecks);

    const [result] = await test(target);

    expect(result).toMatchObject({ outcome: 'not_tested', message: expect.stringContaining('could not be reached') });
    expect((await detailOf(target)).status).toBe('ok');
  });
});
