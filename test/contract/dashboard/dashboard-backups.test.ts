import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { DashboardClient } from './dashboard-client.ts';

let hub: InProcessServer;
let client: DashboardClient;
beforeAll(async () => {
  hub = await startInProcess();
  client = await DashboardClient.signIn({ url: hub.url, signIn: hub });
});
afterAll(() => hub?.stop());

const remove = (name: string) => ({ params: { name } });

describe('a backup made by hand', () => {
  it('is deleted by its name, and the audit says so', async () => {
    const { backups: others } = await client.call('GET /api/v1/data');
    const kept = await client.call('POST /api/v1/data/backups');
    const made = await client.call('POST /api/v1/data/backups');

    await client.call('DELETE /api/v1/data/backups/:name', remove(made.name));

    const { backups } = await client.call('GET /api/v1/data');
    const names = (list: typeof backups) => list.map(({ name }) => name).sort();
    expect(names(backups)).toEqual([kept.name, ...names(others)].sort());
    const audit = await client.call('GET /api/v1/audit');
    expect(audit.data[0]).toMatchObject({ action: 'backup_deleted', subject: made.name });
  });

  it('is the only kind that can be deleted, and only in the folder of backups', async () => {
    for (const name of ['homeport-20260101T000000000Z-manual.db', '..%2Fhomeport.db', 'homeport.db'])
      expect(await client.refusal('DELETE /api/v1/data/backups/:name', remove(name))).toEqual({
        status: 404,
        code: 'not_found',
      });
    await mkdir(join(hub.home, 'backups'), { recursive: true });
    await copyFile(join(hub.home, 'homeport.db'), join(hub.home, 'backups', 'homeport-20260101T000000000Z-daily.db'));
    expect(
      await client.refusal('DELETE /api/v1/data/backups/:name', remove('homeport-20260101T000000000Z-daily.db')),
    ).toEqual({ status: 400, code: 'invalid_request' });
    const { backups } = await client.call('GET /api/v1/data');
    expect(backups.map(({ name }) => name)).toContain('homeport-20260101T000000000Z-daily.db');
  });
});
