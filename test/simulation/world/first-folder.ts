import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../../server/platform/lib/clock.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { APP_PORT, MASTER_KEY, PROVIDER_PORT, STARTED_AT } from './constants.ts';

/**
 * Makes the data folder with which every history begins, by the real hub with its real compiler and workers, in a
 * process of its own: `node first-folder.ts <folder>`. Prints what the simulator has to know about it.
 */

const FULL = `import { createSync } from 'homeport';
import * as z from 'zod';
export default createSync({
  description: 'Every page, and what is missing is deleted',
  version: '1.0.0',
  frequency: 'every 2 minutes',
  autoStart: true,
  trackDeletes: true,
  models: { Item: z.object({ id: z.string(), text: z.string() }) },
  exec: async (nango) => {
    for (let page = (await nango.getCheckpoint())?.page ?? 0; page < 3; page++) {
      const { data } = await nango.get({ endpoint: '/items', params: { page: String(page) } });
      await nango.batchSave(data.items, 'Item');
      await nango.saveCheckpoint({ page: page + 1 });
    }
    await nango.clearCheckpoint();
  },
});
`;
const CHANGES = `import { createSync } from 'homeport';
import * as z from 'zod';
export default createSync({
  description: 'What changed since the last run',
  version: '1.0.0',
  frequency: 'every 1 minute',
  autoStart: true,
  models: { Change: z.object({ id: z.string(), text: z.string() }) },
  exec: async (nango) => {
    const since = (await nango.getCheckpoint())?.since ?? 0;
    const { data } = await nango.get({ endpoint: '/changes', params: { since: String(since) } });
    if (data.saved.length > 0) await nango.batchSave(data.saved, 'Change');
    if (data.deleted.length > 0) await nango.batchDelete(data.deleted, 'Change');
    await nango.saveCheckpoint({ since: data.until });
  },
  onWebhook: async (nango, payload) => {
    await nango.batchSave([{ id: String((payload as { note: string }).note), text: 'hook' }], 'Change');
  },
});
`;
const NOTE = `import { createAction } from 'homeport';
import * as z from 'zod';
export default createAction({
  description: 'Writes one note',
  version: '1.0.0',
  input: z.any(),
  output: z.any(),
  exec: async (nango, input) => {
    const { data } = await nango.post({ endpoint: '/notes', data: input });
    return data;
  },
});
`;
const CHECK = `import { createOnEvent } from 'homeport';
export default createOnEvent({
  description: 'Asks the provider about the account',
  event: 'validate-connection',
  exec: async (nango) => {
    const { data } = await nango.get({ endpoint: '/account' });
    if (data.isRefused) throw new Error('this account is not welcome');
  },
});
`;
const ADDRESS = `http://127.0.0.1:${PROVIDER_PORT}`;
const ENTRY = `sim: ${JSON.stringify({
  display_name: 'Simulated',
  auth_mode: 'OAUTH2',
  docs: ADDRESS,
  authorization_url: `${ADDRESS}/authorize`,
  token_url: `${ADDRESS}/token`,
  proxy: { base_url: ADDRESS },
})}\n`;

const [folder = ''] = process.argv.slice(2);
const startedAt = Date.now();
const clock: Clock = { ...systemClock, now: () => STARTED_AT + Date.now() - startedAt };
await rm(folder, { recursive: true, force: true });
const files = {
  'providers.yaml': ENTRY,
  'sim/syncs/full.ts': FULL,
  'sim/syncs/changes.ts': CHANGES,
  'sim/actions/note.ts': NOTE,
  'sim/on-events/check.ts': CHECK,
};
for (const [path, text] of Object.entries(files)) {
  await mkdir(dirname(join(folder, 'functions', path)), { recursive: true });
  await writeFile(join(folder, 'functions', path), text);
  // Copies keep whole seconds only; another time would be a change.
  await utimes(join(folder, 'functions', path), STARTED_AT / 1000, STARTED_AT / 1000);
}
await writeFile(join(folder, 'master.key'), `${MASTER_KEY}\n`, { mode: 0o600 });
// Nothing asks the provider here: the address stays the one of the simulation.
const provider = await FakeProvider.start();
const hub = await startInProcess({
  home: folder,
  clock,
  env: { HOMEPORT_MASTER_KEY: '', HOMEPORT_WEBHOOK_URL: `http://127.0.0.1:${APP_PORT}/hook` },
});

async function call(method: string, path: string, body?: unknown, key = hub.secretKey): Promise<never> {
  const response = await fetch(`${hub.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as never;
}

const credentials = { type: 'OAUTH2', client_id: 'client', client_secret: 'S3CR3T-client-secret' };
await call('POST', '/integrations', { provider: 'sim', unique_key: 'sim', credentials });
const { data: other } = (await call('POST', '/environments', { name: 'other' })) as {
  data: { id: number; uuid: string };
};
const made = (await call('POST', '/environment/api-keys', {
  environment_id: other.id,
  display_name: 'simulator',
  scopes: ['environment:*'],
})) as { data: { secret: string } };
const otherKey = made.data.secret;
await call('POST', '/integrations', { provider: 'sim', unique_key: 'sim', credentials }, otherKey);
await waitFor(
  async () => {
    const all = (await call('GET', '/scripts/config')) as Array<Record<string, unknown[]>>;
    const own = all[0];
    return (
      own !== undefined &&
      (own['syncs']?.length ?? 0) === 2 &&
      (own['actions']?.length ?? 0) === 1 &&
      own['on-events']?.length === 1
    );
  },
  { what: 'the functions' },
);
const environments = (await call('GET', '/environments')) as { data: Array<{ name: string; uuid: string }> };
await hub.end();
await provider.stop();
console.log(JSON.stringify({ secretKey: hub.secretKey, otherKey, environments: environments.data }));
