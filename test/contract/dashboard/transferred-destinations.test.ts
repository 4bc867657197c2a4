import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { DashboardClient } from './dashboard-client.ts';

const PASSPHRASE = 'correct horse battery';
const PARTS = ['settings', 'integrations'];
const SECRET = 'https://hooks.example.com/in?token=canary-token-51c7';
const TARGET = { query: { env: 'target' } };
const REMAINDER = { isEnabled: true, types: ['auth', 'sync'], integrations: ['notes'] };

let hub: InProcessServer;
let client: DashboardClient;
beforeAll(async () => {
  hub = await startInProcess();
  client = await DashboardClient.signIn({ url: hub.url, signIn: hub });
  await client.call('POST /api/v1/integrations', { body: { provider: 'practice', key: 'notes', config: {} } });
  for (const [name, url] of [
    ['Billing', 'https://billing.example.com/hooks'],
    [null, SECRET],
  ])
    await client.call('POST /api/v1/webhook-destinations', { body: { name, url, ...REMAINDER } });
});
afterAll(() => hub?.stop());
beforeEach(async () => {
  await client.call('POST /api/v1/environments', { body: { name: 'target' } });
  return async () => {
    await client.call('DELETE /api/v1/environments/current', { ...TARGET, body: { name: 'target' } });
  };
});

const exported = async (passphrase?: string, parts = PARTS) =>
  (await client.call('POST /api/v1/transfer/export', { body: { parts, passphrase } })).file;
const source = (file: unknown, passphrase?: string) => ({ kind: 'file', file, passphrase });

async function importFile(
  file: unknown,
  { conflict = 'skip', passphrase }: { conflict?: string; passphrase?: string },
) {
  const body = { source: source(file, passphrase), conflict, parts: PARTS };
  const { data } = await client.call('POST /api/v1/transfer/import', { ...TARGET, body });
  return data.filter(({ kind }) => kind === 'destination');
}
const inTarget = async () =>
  (await client.call('GET /api/v1/webhook-destinations', TARGET)).data.map(({ id: _, ...rest }) => rest);

describe('webhook destinations in an export', () => {
  it('come back from it switched off, with their filters; a secret address comes under the passphrase', async () => {
    const file = await exported(PASSPHRASE);
    expect(JSON.stringify(file)).not.toContain('canary-token');
    const { rows } = await client.call('POST /api/v1/transfer/preview', {
      ...TARGET,
      body: { source: source(file, PASSPHRASE) },
    });
    expect(rows.filter(({ kind }) => kind === 'destination')).toMatchObject([
      { name: 'Billing', exists: false },
      { name: 'hooks.example.com', exists: false },
    ]);

    expect(await importFile(file, { passphrase: PASSPHRASE })).toMatchObject([
      { name: 'Billing', outcome: 'created', detail: expect.stringContaining('switched off') },
      { name: 'hooks.example.com', outcome: 'created' },
    ]);
    const off = { ...REMAINDER, isEnabled: false };
    expect(await inTarget()).toEqual([
      { name: 'Billing', url: 'https://billing.example.com/hooks', ...off },
      { name: null, url: SECRET, ...off },
    ]);
  });

  it('say which address the file lacks without the passphrase', async () => {
    const file = await exported();
    expect(file['left_out']).toContain('webhook destination 2: url');

    expect(await importFile(file, {})).toMatchObject([
      { name: 'Billing', outcome: 'created' },
      { name: 'without a name', outcome: 'skipped', detail: 'its address is secret and not in the file' },
    ]);
    expect(await inTarget()).toHaveLength(1);
  });

  it('are not made twice; replacing changes the filters and leaves the switch', { tags: ['slow'] }, async () => {
    const file = await exported(PASSPHRASE);
    await importFile(file, { passphrase: PASSPHRASE });
    const [first] = (await client.call('GET /api/v1/webhook-destinations', TARGET)).data;
    await client.call('PATCH /api/v1/webhook-destinations/:destinationId', {
      ...TARGET,
      params: { destinationId: first?.id ?? '' },
      body: { isEnabled: true, types: [] },
    });

    const again = await importFile(file, { passphrase: PASSPHRASE });
    expect(again.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped']);
    const replaced = await importFile(file, { passphrase: PASSPHRASE, conflict: 'replace' });
    expect(replaced.map(({ outcome }) => outcome)).toEqual(['replaced', 'replaced']);
    expect(await inTarget()).toMatchObject([
      { isEnabled: true, types: ['auth', 'sync'] },
      { isEnabled: false, types: ['auth', 'sync'] },
    ]);
  });

  it('name an integration by the key that it has after the import', async () => {
    await client.call('POST /api/v1/integrations', {
      ...TARGET,
      body: { provider: 'practice', key: 'notes', config: {} },
    });
    await importFile(await exported(), { conflict: 'rename' });

    expect(await inTarget()).toMatchObject([{ name: 'Billing', integrations: ['notes-2'] }]);
  });

  it('stay out of an export without settings, and out of older files', async () => {
    expect(await exported(undefined, ['integrations'])).toMatchObject({ webhook_destinations: [] });
    const { webhook_destinations: _, ...older } = await exported();

    expect(await importFile(older, {})).toEqual([]);
  });
});
