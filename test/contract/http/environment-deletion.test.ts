import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../server/platform/database/database.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { lookInto } from '../../support/look-into.ts';
import { nightlyEach } from '../../support/nightly-each.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { type ServerAddress, type StartedServer, startServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { pushedAction, pushedSync } from '../functions/pushed-action.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { ApiCaller } from './api-caller.ts';

interface FilledEnvironment extends ServerAddress {
  id: number;
  name: string;
  api: ApiCaller;
}

let server: InProcessServer | StartedServer;
let dev: ApiCaller;
let receiver: WebhookReceiver;
beforeEach(async () => {
  [server, receiver] = await Promise.all([startInProcess(), WebhookReceiver.start()]);
  dev = new ApiCaller(server);
});
afterEach(async () => {
  await server?.stop();
  await receiver?.stop();
});

const WAITS = 'await new Promise((resolve) => setTimeout(resolve, 600000));';
/** Messages of the program's log about internal errors of the hub. */
const FAILURE = /"level":(50|60)|SQLITE_|A job failed/;
const at = { 'provider-config-key': 'practice', 'connection-id': 'c0' };
const ofConnection = { provider_config_key: 'practice', connection_id: 'c0' };

/** The exec of a pushed function, around `body`. */
function withBody<T extends ReturnType<typeof pushedAction> | ReturnType<typeof pushedSync>>(flow: T, body: string): T {
  const js = `exports.default = { type: '${flow.type}', exec: async (nango, input) => { ${body} } };`;
  return { ...flow, fileBody: { ...flow.fileBody, js } };
}

async function create(name: string): Promise<FilledEnvironment> {
  const made = (await dev.send('POST /environments', { body: { name } })).body as { data: { id: number } };
  const { id } = made.data;
  const key = (await dev.send('POST /environment/api-keys', { body: { display_name: 'test', environment_id: id } }))
    .body as { data: { secret: string } };
  const address = { url: server.url, secretKey: key.data.secret };
  return { ...address, id, name, api: new ApiCaller(address) };
}

/** At least one of everything that an environment can hold; `canary` is in the unsealed values. */
async function fill(environment: FilledEnvironment, canary: string, connections = 3): Promise<void> {
  const { api } = environment;
  await api.send('PATCH /environment/settings', {
    body: { webhook: { primary_url: receiver.address() }, variables: [{ name: 'A', value: 'b' }], log_level: 'debug' },
  });
  await api.send('PUT /environment/webhook-destinations', {
    body: { destinations: [{ name: canary, url: receiver.address(), types: ['auth'] }] },
  });
  await api.send('POST /integrations', { body: { provider: 'practice', unique_key: 'practice' } });
  await api.send('POST /integrations', { body: { provider: 'unauthenticated', unique_key: 'sender' } });
  const flowConfigs = [
    withBody(pushedAction('echo'), `await nango.log('${canary}'); return 'done';`),
    withBody(pushedAction('waits'), `await nango.post({ endpoint: '/v1/echo' }); ${WAITS}`),
    withBody(
      pushedSync('items'),
      `await nango.batchSave([{ id: '1', text: '${canary}' }], 'Item'); await nango.saveCheckpoint({ page: 1 });`,
    ),
    withBody(pushedSync('endless'), WAITS),
  ];
  const pushed = await api.send('POST /sync/deploy', {
    body: { flowConfigs, reconcile: false, debug: false, source: 'standalone', nangoYamlBody: '' },
  });
  expect([pushed.status, pushed.body]).toEqual([200, expect.anything()]);
  const ids = Array.from({ length: connections }, (_, index) => `c${index}`);
  for (const connection_id of [...ids, 'gone']) {
    const body = { provider_config_key: 'practice', connection_id, metadata: { canary }, tags: { canary } };
    expect((await importConnection(environment, body)).status).toBe(201);
  }
  await api.send('DELETE /connections/gone?provider_config_key=practice');
  await api.send('POST /connect/sessions', { body: { end_user: { id: 'u' } } });
  await api.send(`POST /webhook/${environment.name}/sender`, { body: { type: canary } });
  await api.send('POST /action/trigger', { headers: at, body: { action_name: 'echo' } });
  await api.send('POST /action/trigger', { headers: { ...at, 'x-async': 'true' }, body: { action_name: 'echo' } });
  await api.send('POST /sync/trigger', { body: { ...ofConnection, syncs: ['items'] } });
  await waitFor(
    async () => JSON.stringify((await api.send('GET /records?model=Item', { headers: at })).body).includes('"id":"1"'),
    {
      what: 'the record',
    },
  );
}

const look = <T>(work: (database: Database) => Promise<T>): Promise<T> => lookInto(server.home, work);

/** Rows that name their environment, by table, without the list of deleted ones. */
async function countRows({ reader }: Database, environmentId: number): Promise<Record<string, number>> {
  const tables = await reader.all<{ name: string; column: string }>(
    `SELECT t.name, c.name AS column FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c
     WHERE t.type = 'table' AND (c.name = 'environment_id' OR (t.name = 'environments' AND c.name = 'id')) ORDER BY 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name, column } of tables) {
    const row = await reader.get<{ count: number }>(`SELECT count(*) AS count FROM "${name}" WHERE "${column}" = ?`, [
      environmentId,
    ]);
    counts[name] = row?.count ?? 0;
  }
  return counts;
}

/** References between tables that the schema does not declare. */
const LINKS = [
  ['checkpoints', 'connection_row_id', 'connections', 'id'],
  ['record_streams', 'connection_row_id', 'connections', 'id'],
  ['syncs', 'connection_row_id', 'connections', 'id'],
  ['sync_jobs', 'sync_row_id', 'syncs', 'row_id'],
  ['schedules', 'id', 'syncs', 'id'],
  ['records', 'stream_id', 'record_streams', 'id'],
  ['record_versions', 'stream_id', 'record_streams', 'id'],
  ['record_payloads', 'id', 'records', 'payload_id'],
  ['log_messages', 'id >> 20', 'log_operations', 'seq'],
  ['log_messages_search_docsize', 'id', 'log_messages', 'id'],
  ['log_operations_search_docsize', 'id', 'log_operations', 'seq'],
] as const;

/** Rows whose owner is missing, by table: declared references and those above. */
async function countOrphans({ reader }: Database): Promise<Record<string, number>> {
  const declared = await reader.all<{ child: string; column: string; parent: string; key: string }>(
    `SELECT t.name AS child, f."from" AS column, f."table" AS parent, f."to" AS key
     FROM sqlite_master AS t JOIN pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table'`,
  );
  const links = [...declared, ...LINKS.map(([child, column, parent, key]) => ({ child, column, parent, key }))];
  const counts: Record<string, number> = {};
  for (const { child, column, parent, key } of links) {
    const row = await reader.get<{ count: number }>(
      `SELECT count(*) AS count FROM ${child} WHERE ${column} NOT IN (SELECT ${key} FROM ${parent})`,
    );
    if (row && row.count > 0) counts[`${child}.${column}`] = row.count;
  }
  return counts;
}

/** Queued jobs about missing rows. */
async function countHomelessJobs({ reader }: Database): Promise<number> {
  const row = await reader.get<{ count: number }>(
    `SELECT count(*) AS count FROM jobs WHERE state = 'created' AND (
       (payload ->> 'callId' IS NOT NULL AND payload ->> 'callId' NOT IN (SELECT id FROM action_calls))
       OR (payload ->> 'deliveryId' IS NOT NULL AND payload ->> 'deliveryId' NOT IN (SELECT id FROM webhook_deliveries))
       OR (payload ->> 'runId' IS NOT NULL AND payload ->> 'runId' NOT IN (SELECT id FROM webhook_runs))
       OR (payload ->> 'syncId' IS NOT NULL AND payload ->> 'syncId' NOT IN (SELECT id FROM syncs)))`,
  );
  return row?.count ?? 0;
}

async function waitUntilGone(id: number): Promise<void> {
  await waitFor(
    () =>
      look(async (database) => {
        const rows = Object.values(await countRows(database, id));
        return rows.every((count) => count === 0) && Object.keys(await countOrphans(database)).length === 0;
      }),
    { what: 'the removal' },
  );
}

describe('DELETE /environments/{id}', () => {
  it('removes everything of one environment, stops its runs, and does not change the other', async () => {
    const canary = `canary-${randomUUID()}`;
    const [kept, doomed] = [await create('kept'), await create('doomed')];
    await fill(kept, 'kept');
    await fill(doomed, canary);
    const settled = await waitFor(
      async () => {
        const counts = await look((database) => countRows(database, kept.id));
        const again = await look((database) => countRows(database, kept.id));
        return JSON.stringify(counts) === JSON.stringify(again) && counts['webhook_deliveries'] ? counts : undefined;
      },
      { what: 'rest in the other environment' },
    );
    const before = await look((database) => countRows(database, doomed.id));
    for (const table of ['connections', 'integrations', 'syncs', 'functions', 'log_operations', 'action_calls'])
      expect([table, before[table]]).not.toEqual([table, 0]);
    const waiting = doomed.api.send('POST /action/trigger', { headers: at, body: { action_name: 'waits' } });
    await doomed.api.send('POST /sync/trigger', { body: { ...ofConnection, syncs: ['endless'] } });
    const running = async (): Promise<number> =>
      look(
        async ({ reader }) =>
          (
            await reader.all(
              "SELECT 1 FROM log_operations WHERE state = 'running' AND function_name IN ('waits', 'endless') AND environment_id = ?",
              [doomed.id],
            )
          ).length,
      );
    await waitFor(async () => (await running()) >= 2, { what: 'the action and the sync' });

    expect((await dev.send(`DELETE /environments/${doomed.id}`)).status).toBe(204);

    expect(await doomed.api.refusal('GET /integrations')).toEqual({ status: 401, code: 'unknown_account' });
    expect((await waiting).status).toBeGreaterThanOrEqual(400);
    const { status } = await dev.send('POST /webhook/doomed/sender', { body: {} });
    expect(status).toBe(400);
    await waitUntilGone(doomed.id);
    const after = await look((database) => countRows(database, kept.id));
    // Schedules and the audit may add rows; nothing may be missing.
    const missing = Object.entries(settled).filter(([table, count]) => (after[table] ?? 0) < count);
    expect(missing).toEqual([]);
    const action = await kept.api.send('POST /action/trigger', { headers: at, body: { action_name: 'echo' } });
    expect([action.status, action.body]).toEqual([200, 'done']);
    expect((await dev.send('GET /environments')).body).toMatchObject({
      data: [
        { id: expect.any(Number), name: 'dev' },
        { id: kept.id, name: 'kept' },
      ],
    });
    await server.end();
    expect(await findSecrets(server.home, { canary }, {})).toEqual([]);
    await server.restart();
    expect(server.errorOutput()).not.toMatch(FAILURE);
  });

  const ends = [
    ['', false],
    [', also after a kill', true],
  ] as const;
  nightlyEach(ends, 2, {
    tags: ['slow'],
  })('leaves no byte that names its people, while the hub runs%s', async (isKilled) => {
    await server.stop();
    const started = await startServer();
    server = started;
    dev = new ApiCaller(server);
    const doomed = await create('doomed');
    await fill(doomed, 'doomed', 1);
    // Words that the index of the log holds whole.
    const person = { id: 'adaid4711', display_name: 'Adabyronlovelace', email: 'adabyron@peoplehost.example' };
    const text = Object.values(person).join(' ');
    const body = { ...ofConnection, connection_id: 'person', end_user: person, metadata: { text } };
    expect((await importConnection(doomed, body)).status).toBe(201);
    const headers = { ...at, 'connection-id': 'person' };
    for (let count = 0; count < 30; count++) {
      await doomed.api.send(`GET /proxy/v1/echo?who=${encodeURIComponent(text)}`, { headers });
      await doomed.api.send('POST /action/trigger', { headers, body: { action_name: text, input: person } });
      await doomed.api.send('POST /webhook/doomed/sender', { body: person });
      await doomed.api.send('POST /connect/sessions', { body: { end_user: person, allowed_integrations: ['sender'] } });
    }
    // One person of a connection that was deleted before is still being looked for.
    await doomed.api.send('DELETE /connections/person?provider_config_key=practice');
    const secrets = { id: person.id, name: person.display_name, email: person.email };
    expect(await findSecrets(server.home, secrets, {})).not.toEqual([]);

    expect((await dev.send(`DELETE /environments/${doomed.id}`)).status).toBe(204);
    if (isKilled) {
      await started.kill();
      await server.restart();
    }
    await waitUntilGone(doomed.id);

    // The erasure of the deleted connection may end after that of the environment.
    await expect.poll(() => findSecrets(server.home, secrets, {})).toEqual([]);
    expect(server.errorOutput()).not.toMatch(FAILURE);
  });

  it('takes queued jobs along', async () => {
    const doomed = await create('doomed');
    await fill(doomed, 'doomed', 1);
    receiver.respond('/hook', { status: 500 });
    await doomed.api.send('POST /action/trigger', {
      headers: { ...at, 'x-async': 'true' },
      body: { action_name: 'echo' },
    });
    const waitsForRetry = (): Promise<boolean> =>
      look(
        async ({ reader }) =>
          (await reader.get("SELECT 1 FROM jobs WHERE state = 'created' AND payload ->> 'attempt' = 2")) !== undefined,
      );
    await waitFor(waitsForRetry, { what: 'a delivery that is tried again later' });

    await dev.send(`DELETE /environments/${doomed.id}`);

    await waitUntilGone(doomed.id);
    expect(await look(countHomelessJobs)).toBe(0);
  });

  it('goes on after a kill', { tags: ['slow', 'nightly'] }, async () => {
    await server.stop();
    const killed = await startServer();
    server = killed;
    dev = new ApiCaller(server);
    const [kept, doomed] = [await create('kept'), await create('doomed')];
    await fill(kept, 'kept', 1);
    await fill(doomed, 'doomed', 200);

    expect((await dev.send(`DELETE /environments/${doomed.id}`)).status).toBe(204);
    await killed.kill();
    const left = await look((database) => countRows(database, doomed.id));
    expect(left['environments']).toBe(1);
    await server.restart();

    expect((await doomed.api.send('GET /integrations')).status).toBe(401);
    await waitUntilGone(doomed.id);
    const list = await kept.api.send('GET /connections');
    expect((list.body as { connections: unknown[] }).connections).toHaveLength(1);
    expect(server.errorOutput()).not.toMatch(FAILURE);
  });

  it('never uses ids again, and gives the name free', async () => {
    const first = await create('twice');
    await fill(first, 'first', 1);
    const lastConnection = (): Promise<number> =>
      look(async ({ reader }) => (await reader.get<{ id: number }>('SELECT max(id) AS id FROM connections'))?.id ?? 0);
    const connection = await lastConnection();
    await dev.send(`DELETE /environments/${first.id}`);
    await waitUntilGone(first.id);
    await server.end();
    await server.restart();

    const second = await create('twice');

    expect(second.id).toBeGreaterThan(first.id);
    await second.api.send('POST /integrations', { body: { provider: 'practice', unique_key: 'practice' } });
    expect((await importConnection(second, ofConnection)).status).toBe(201);
    expect(await lastConnection()).toBeGreaterThan(connection);
  });

  it('refuses the first one, production, and an unknown one', async () => {
    const prod = await create('prod');
    const list = (await dev.send('GET /environments')).body as { data: Array<{ id: number }> };
    const refused = { status: 400, code: 'cannot_delete_prod_environment' };

    expect(await dev.refusal(`DELETE /environments/${list.data[0]?.id}`)).toEqual(refused);
    expect(await dev.refusal(`DELETE /environments/${prod.id}`)).toEqual(refused);
    expect(await dev.refusal('DELETE /environments/99')).toEqual({ status: 404, code: 'not_found' });
    expect((await dev.send('DELETE /environments/x')).status).toBe(400);
  });
});
