// @module-tag slow

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createErasableTexts } from '../../../server/data/erasure/erasable-texts.ts';
import { PERSON_TABLES, PersonTextsStore } from '../../../server/data/person-texts.store.ts';
import type { Database } from '../../../server/platform/database/database.ts';
import { VaultStore } from '../../../server/platform/vault/vault.store.ts';
import { Vault } from '../../../server/platform/vault/vault.ts';
import { pushedAction, pushedSync } from '../../contract/functions/pushed-action.ts';
import { ApiCaller } from '../../contract/http/api-caller.ts';
import { WebhookReceiver } from '../../contract/webhooks/webhook-receiver.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { lookInto } from '../../support/look-into.ts';
import { onlyPart } from '../../support/only-part.ts';
import { seedOperations } from '../../support/seed-operations.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';

const ADA = { id: 'customer-ada-4711', display_name: 'Ada Byron-Lovelace', email: 'ada.byron@people.example' };
const EVA = { id: 'customer-eva-4712', display_name: 'Eva Byron-Lovelace', email: 'eva.byron@people.example' };
const MASTER_KEY = randomBytes(32).toString('base64');

let server: StartedServer;
let api: ApiCaller;
let receiver: WebhookReceiver;

beforeEach(async () => {
  [server, receiver] = await Promise.all([
    startServer({ env: { HOMEPORT_MASTER_KEY: MASTER_KEY } }),
    WebhookReceiver.start(),
  ]);
  api = new ApiCaller(server);
  await api.send('PATCH /environment/settings', {
    body: { webhook: { primary_url: receiver.address(), on_connection_deletion: true }, log_level: 'debug' },
  });
  await api.send('POST /integrations', { body: { provider: 'practice', unique_key: 'practice' } });
  await api.send('POST /integrations', { body: { provider: 'unauthenticated', unique_key: 'sender' } });
  const withBody = <T extends ReturnType<typeof pushedAction>>(flow: T, body: string): T => ({
    ...flow,
    fileBody: {
      ...flow.fileBody,
      js: `exports.default = { type: '${flow.type}', exec: async (nango, input) => { ${body} } };`,
    },
  });
  const flowConfigs = [
    withBody(
      pushedAction('greet'),
      "await nango.log('greets ' + input.to, { who: input.to }); return { sentTo: input.to };",
    ),
    withBody(pushedAction('refuse'), "throw new Error('no mailbox ' + input.to);"),
    withBody(
      pushedSync('items') as never,
      `throw new Error('no rights for ' + (await nango.getConnection()).end_user.email);`,
    ),
  ];
  const pushed = await api.send('POST /sync/deploy', {
    body: { flowConfigs, reconcile: false, debug: false, source: 'standalone', nangoYamlBody: '' },
  });
  expect([pushed.status, pushed.body]).toEqual([200, expect.anything()]);
  await look((database) =>
    database.transaction(async (tx) => void (await tx.run('UPDATE traffic_recording_state SET is_on = 1'))),
  );
  await server.restart();
});
afterEach(async () => {
  await server?.stop();
  await receiver?.stop();
});

const look = <T>(work: (database: Database) => Promise<T>): Promise<T> => lookInto(server.home, work);

const rows = (sql: string): Promise<Array<Record<string, unknown>>> => look(({ reader }) => reader.all(sql));

/** Everything that the hub does for a connection of the person leaves traces with the person's address. */
async function leaveTraces(connectionId: string, person: typeof ADA): Promise<void> {
  const at = { 'provider-config-key': 'practice', 'connection-id': connectionId };
  const imported = await importConnection(server, {
    provider_config_key: 'practice',
    connection_id: connectionId,
    end_user: person,
  });
  expect(imported.status).toBe(201);
  const input = { to: person.email };
  await api.send('POST /action/trigger', { headers: at, body: { action_name: 'greet', input } });
  await api.send('POST /action/trigger', { headers: at, body: { action_name: 'refuse', input } });
  const later = { ...at, 'x-async': 'true' };
  await api.send('POST /action/trigger', { headers: later, body: { action_name: 'greet', input } });
  await api.send(`GET /proxy/v1/echo?email=${encodeURIComponent(person.email)}`, { headers: at });
  await api.send('POST /proxy/v1/echo', { headers: at, body: person });
  await api.send('POST /sync/trigger', {
    body: { provider_config_key: 'practice', connection_id: connectionId, syncs: ['items'] },
  });
  await api.send('POST /webhook/dev/sender', { body: { type: 'user.changed', user: person } });
  await api.send('POST /connect/sessions', { body: { end_user: person, allowed_integrations: ['sender'] } });
  const ended = (await api.send('POST /connect/sessions', {
    body: { end_user: person, allowed_integrations: ['practice'] },
  })) as { body: { data: { token: string } } };
  const { token } = ended.body.data;
  await api.send(`DELETE /connect/session`, { headers: { authorization: `Bearer ${token}` } });
  await waitFor(
    async () => {
      const open = await rows(
        "SELECT 1 FROM log_operations WHERE state = 'running' UNION ALL SELECT 1 FROM jobs UNION ALL SELECT 1 FROM webhook_deliveries WHERE state = 'waiting'",
      );
      const failed = await rows('SELECT 1 FROM sync_jobs WHERE error IS NOT NULL');
      return open.length === 0 && failed.length > 0;
    },
    { what: 'the end of all work' },
  );
}

const remove = (connectionId: string) => api.send(`DELETE /connections/${connectionId}?provider_config_key=practice`);

async function untilErased(): Promise<void> {
  await waitFor(async () => (await rows('SELECT 1 FROM erasures')).length === 0, { what: 'the end of the erasure' });
}

/** Every text of every table, opened. */
function openedTexts(): Promise<string[]> {
  return look(async (database) => {
    const found: string[] = [];
    const vaultRows = new VaultStore();
    const vault = await Vault.open({
      keychain: onlyPart('keychain', { read: async () => undefined }),
      keyFile: join(server.home, 'master.key'),
      override: MASTER_KEY,
      store: { load: () => vaultRows.findWrappedKey(database.reader), save: async () => {} },
    });
    const texts = createErasableTexts({ vault, recordingKey: vault.sealingKey('traffic') });
    const store = new PersonTextsStore();
    for (const table of PERSON_TABLES) {
      let after: Array<string | number> | undefined;
      for (;;) {
        const slice = await store.list(database.reader, table, { environmentId: 1, after });
        for (const row of slice.rows) {
          const erase = (text: string): string => {
            found.push(`${table}: ${text}`);
            return text;
          };
          texts.erased(table, row, { erase, isPersons: false });
          found.push(...row.values.map((value) => `${table}: ${value}`));
        }
        after = slice.rows.at(-1)?.key;
        if (slice.isLast) break;
      }
    }
    for (const { context, content } of await database.reader.all<{ context: string; content: string }>(
      "SELECT 'connect-session:' || lookup_hash || ':content' AS context, content FROM connect_sessions UNION ALL SELECT 'oauth-state:' || id, content FROM oauth_states",
    ))
      found.push(`${context}: ${vault.open(content, context)}`);
    return found;
  });
}

/** Who is named, and where. */
async function traces(person: typeof ADA): Promise<string[]> {
  const values = Object.values(person).flatMap((value) => [value, encodeURIComponent(value)]);
  return (await openedTexts()).filter((text) => values.some((value) => text.includes(value)));
}

describe('the deletion of a connection', () => {
  it('removes its person from everything, also when the program is killed meanwhile', async () => {
    await leaveTraces('ada', ADA);
    const before = await traces(ADA);
    for (const table of [
      'log_operations',
      'log_messages',
      'traffic_recordings',
      'webhook_deliveries',
      'incoming_webhooks',
      'action_calls',
      'sync_jobs',
      'connect-session',
    ])
      expect(
        before.filter((text) => text.startsWith(table)),
        table,
      ).not.toEqual([]);

    // The app holds the announcement, which names the person until it is out.
    const held = receiver.holdFirst('/hook');
    expect((await remove('ada')).status).toBe(200);
    await held;
    await server.kill();
    await server.restart();
    const deletions = await receiver.webhooks(2, (webhook) => webhook.operation === 'deletion');
    expect(deletions[1]).toMatchObject({ connectionId: 'ada', endUser: { endUserId: ADA.id } });
    // One session still waits for the person; it ends.
    const ofSession = /^(?:connect-session:|log_operations:)/;
    await waitFor(async () => (await traces(ADA)).every((text) => ofSession.test(text)), { what: 'the first scan' });
    expect(await rows('SELECT 1 FROM connect_sessions')).toHaveLength(1);
    await look((database) =>
      database.transaction(async (tx) => {
        await tx.run("UPDATE log_operations SET state = 'cancelled', ended_at = 1 WHERE state = 'waiting'");
        await tx.run('UPDATE connect_sessions SET expires_at = 1');
      }),
    );
    await untilErased();

    expect(await traces(ADA)).toEqual([]);
    await server.end();
    expect(await findSecrets(server.home, { id: ADA.id, name: ADA.display_name, email: ADA.email }, {})).toEqual([]);
    // What happened stays.
    expect(await rows("SELECT 1 FROM log_operations WHERE connection_id = 'ada'")).not.toEqual([]);
    await server.restart();
  });

  it('goes on after a kill in the middle of a large log', { tags: ['nightly'] }, async () => {
    await server.end();
    await seedOperations(server.home, 6_000, 5);
    await look((database) =>
      database.transaction(async (tx) => {
        await tx.run(
          `UPDATE log_operations SET integration_key = 'practice', connection_id = 'ada', end_user_id = ?, end_user_name = ?,
             message = message || ' for ' || ?, details = json_object('meta', ?) WHERE id LIKE 'seed-%'`,
          [ADA.id, ADA.display_name, ADA.email, ADA.email],
        );
        await tx.run('UPDATE log_messages SET message = message || ?', [` for ${ADA.email}`]);
      }),
    );
    await server.restart();
    await importConnection(server, { provider_config_key: 'practice', connection_id: 'ada', end_user: ADA });
    await remove('ada');
    const left = async () =>
      (await rows(`SELECT count(*) AS n FROM log_operations WHERE end_user_id = '${ADA.id}'`))[0]?.['n'] as number;
    await waitFor(async () => (await left()) < 6_000, { what: 'the first slice' });
    await server.kill();
    expect(await rows('SELECT 1 FROM erasures')).toHaveLength(1);
    await server.restart();
    await untilErased();

    expect(await left()).toBe(0);
    await server.end();
    expect(await findSecrets(server.home, { id: ADA.id, name: ADA.display_name, email: ADA.email }, {})).toEqual([]);
    await server.restart();
  });

  it('rewrites the files also when it is killed between the last change and that', { tags: ['nightly'] }, async () => {
    await server.end();
    await look((database) =>
      database.transaction(async (tx) => {
        // A copy in the unused part of the file, such as SQLite leaves when it moves rows between pages.
        await tx.run('PRAGMA secure_delete=OFF');
        await tx.run('CREATE TABLE moved (text TEXT)');
        await tx.run('INSERT INTO moved SELECT ? FROM json_each(?)', [`for ${ADA.email}`, JSON.stringify([1, 2, 3])]);
        await tx.run('DELETE FROM moved');
        await tx.run(
          `INSERT INTO erasures (id, environment_id, integration_key, connection_row_id, connection_id, end_user, tags, deleted_at)
           VALUES ('018f0000-0000-7000-8000-000000000001', 1, 'practice', 999, 'ada', ?, '{}', 1)`,
          [JSON.stringify({ id: ADA.id, email: ADA.email, display_name: ADA.display_name })],
        );
      }),
    );
    expect(await findSecrets(server.home, { email: ADA.email }, {})).not.toEqual([]);
    await server.restart();
    await untilErased();
    await server.end();
    expect(await findSecrets(server.home, { id: ADA.id, name: ADA.display_name, email: ADA.email }, {})).toEqual([]);
    await server.restart();
  });

  it('leaves what belongs to other people, and to another connection of the same person', async () => {
    await leaveTraces('eva', EVA);
    await leaveTraces('first', ADA);
    await leaveTraces('second', ADA);
    const ofEva = (await traces(EVA)).length;
    await remove('first');
    await untilErased();

    const rest = await rows("SELECT end_user_id AS id FROM log_operations WHERE connection_id = 'first'");
    expect(new Set(rest.map(({ id }) => id))).toEqual(new Set([null]));
    const kept = await rows("SELECT end_user_id AS id FROM log_operations WHERE connection_id = 'second'");
    expect(kept.some(({ id }) => id === ADA.id)).toBe(true);
    expect((await traces(EVA)).length).toBe(ofEva);

    // The last connection of the person goes with its integration.
    await look((database) =>
      database.transaction(async (tx) => {
        await tx.run("UPDATE log_operations SET state = 'cancelled', ended_at = 1 WHERE state = 'waiting'");
        await tx.run('UPDATE connect_sessions SET expires_at = 1');
      }),
    );
    await api.send('DELETE /integrations/practice');
    await untilErased();
    expect(await traces(ADA)).toEqual([]);
    expect(await traces(EVA)).toEqual([]);
  });
});
