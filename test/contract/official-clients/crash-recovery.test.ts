// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection, type PracticeConnection } from '../../support/import-practice-connection.ts';
import { readAllRecords } from '../../support/read-all-records.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, syncState, waitForSync } from '../../support/wait-for-sync.ts';

const TOTAL = 5000;

/**
 * Copies the practice export page by page; every page takes the provider a moment, so that a kill hits a run. The last
 * pages take longer: even a busy test has to see the run before it ends.
 */
const COPY_EXPORT = `
    let cursor = (await nango.getCheckpoint())?.cursor ?? '0';
    while (cursor !== 'end') {
      const { data } = await nango.get({
        endpoint: '/v1/export/page',
        params: { records: ${TOTAL}, bytes: 1000, limit: 50, cursor },
        headers: { 'x-practice-delay-ms': Number(cursor) < 3500 ? '20' : '120' },
      });
      await nango.batchSave(data.records, 'Item');
      cursor = data.next_cursor ?? 'end';
      await nango.saveCheckpoint({ cursor });
    }`;

let server: StartedServer;
let connection: PracticeConnection;

beforeAll(async () => {
  server = await startServer();
  connection = await importPracticeConnection(server);
  await saveFunction(server.workspace, 'practice/syncs/copy-export.ts', syncSource(COPY_EXPORT));
  await waitFor(() => syncState(connection, 'copy-export'), { what: 'the new sync' });
});
afterAll(() => server?.stop());

/** Ends the server while the sync runs, once there are that many records; returns the records that were readable then. */
async function endDuringRun(atLeast: number, end: () => Promise<void>): Promise<Map<string, string>> {
  await waitForSync(
    connection,
    'copy-export',
    (state) => state.status === 'RUNNING' && (state.recordCount?.['Item'] ?? 0) >= atLeast,
  );
  const acknowledged = await readAllRecords(connection, 'Item', 1000);
  await end();
  return new Map(acknowledged.map((record) => [String(record.id), record._nango_metadata.first_seen_at]));
}

/** Records that were readable before the end are there after it, neither lost nor saved again. */
async function expectKept(acknowledged: Map<string, string>): Promise<void> {
  const kept = await readAllRecords(connection, 'Item', 1000);
  const firstSeen = new Map(kept.map((record) => [String(record.id), record._nango_metadata.first_seen_at]));
  const lost = [...acknowledged].filter(([id, at]) => firstSeen.get(id) !== at);
  expect(lost).toEqual([]);
}

describe('a server that ends in the middle of a sync', () => {
  it('continues the sync by itself once, then when it is triggered, and keeps every acknowledged record', async () => {
    const trigger = () => connection.nango.triggerSync('practice', ['copy-export'], connection.connectionId);
    const ends: Array<[atLeast: number, end: () => Promise<void>, isSecondInARow: boolean]> = [
      [500, () => server.kill(), false],
      // The second end in a row: the run waits for its next trigger (design.md 7.31).
      [1500, () => server.kill(), true],
      // An orderly stop counts as well.
      [2500, () => server.end().then(() => {}), false],
    ];
    await trigger();
    for (const [atLeast, end, isSecondInARow] of ends) {
      const acknowledged = await endDuringRun(atLeast, end);
      expect(acknowledged.size).toBeGreaterThanOrEqual(atLeast);
      expect(acknowledged.size).toBeLessThan(TOTAL);
      await server.restart();
      await expectKept(acknowledged);
      if (!isSecondInARow) continue;
      await waitForSync(connection, 'copy-export', (state) => state.status !== 'RUNNING');
      await trigger();
    }

    const done = await waitForSync(connection, 'copy-export', hasSucceeded);

    expect(done.recordCount).toEqual({ Item: TOTAL });
    const records = await readAllRecords(connection, 'Item', 1000);
    expect(new Set(records.map((record) => record.id)).size).toBe(TOTAL);
    expect(records).toHaveLength(TOTAL);
  });

  it('opens its connection with the same credentials', async () => {
    const read = await connection.nango.getConnection('practice', connection.connectionId);

    expect(read.credentials).toMatchObject({ type: 'API_KEY', apiKey: 'practice-demo-key' });
  });
});
