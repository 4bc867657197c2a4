import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { IncomingWebhooksStore, WebhookRunsStore } from '../../../server/webhooks-in/incoming-webhooks.store.ts';
import { createWebhookRetention, type WebhookRetention } from '../../../server/webhooks-in/webhook-archive.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { trueTime } from '../../support/true-time.ts';
import { waitFor } from '../../support/wait-for.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

let home: TempHome;
let database: Database;
let clock: FakeClock;
let retention: WebhookRetention;
const webhooks = new IncomingWebhooksStore();
const runs = new WebhookRunsStore();
const environments = { list: () => [{ id: 1, settings: { webhookRetentionDays: 7 } }] as never };

beforeEach(async () => {
  home = await createTempHome();
  clock = new FakeClock();
  const file = join(home.path, 'homeport.db');
  database = await Database.open({ file });
  await migrate({ database, migrations: MIGRATIONS, clock, logger: silentLogger });
  await database.transaction((tx) =>
    tx.run(`INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at)
      VALUES (1, 'u', 'dev', '{}', '', 0, 0)`),
  );
});
afterEach(async () => {
  await retention.stop();
  await database.close();
  await home.remove();
});

function start(limits = {}): void {
  retention = createWebhookRetention({
    seenTime: trueTime,
    database,
    environments,
    clock,
    logger: silentLogger,
    limits,
  });
  retention.start();
}

async function keep(id: string, part: { receivedAt?: number; sizeBytes?: number } = {}): Promise<void> {
  const { receivedAt = clock.now(), sizeBytes = 10 } = part;
  await database.transaction((tx) =>
    webhooks.insert(tx, {
      id,
      environmentId: 1,
      integrationKey: 'k',
      provider: 'p',
      method: 'POST',
      path: '/',
      request: '',
      body: randomBytes(8).toString('hex'),
      sizeBytes,
      outcome: 'handled',
      status: 200,
      signature: null,
      message: null,
      eventTypes: [],
      connectionIds: [],
      forwards: 0,
      operationId: null,
      replayOf: null,
      durationMs: 0,
      receivedAt,
    }),
  );
}

async function kept(): Promise<Record<string, boolean>> {
  const order = { by: 'time', direction: 'asc', offset: 0, limit: 10_000 } as const;
  const rows = await webhooks.list(database.reader, { environmentId: 1 }, order);
  return Object.fromEntries(rows.map(({ id, hasBody }) => [id, hasBody]));
}

describe('webhooks', () => {
  it('are removed after their days, at the start and once an hour', async () => {
    await keep('old', { receivedAt: clock.now() - 7 * DAY_MS - 1 });
    await keep('new', { receivedAt: clock.now() - 7 * DAY_MS + HOUR_MS / 2 });
    start();
    await waitFor(async () => !('old' in (await kept())));
    expect(await kept()).toEqual({ new: true });

    // The timer of the next round is set when the first one has ended, a moment after its removals.
    await waitFor(async () => {
      await clock.advance(HOUR_MS);
      return !('new' in (await kept()));
    });
  });

  it('stay while one of their runs is not over, and take their runs along', async () => {
    await keep('running', { receivedAt: 0 });
    const run = { id: 'r', webhookId: 'running', environmentId: 1, functionName: 'f', connectionId: 'c', content: 'x' };
    await database.transaction((tx) => runs.insert(tx, { ...run, createdAt: 0 }));
    await keep('done', { receivedAt: 0 });
    start();
    await waitFor(async () => !('done' in (await kept())));
    expect(await kept()).toEqual({ running: true });

    const end = { state: 'success', operationId: null, endedAt: 1 } as const;
    await database.transaction((tx) => runs.setEnded(tx, 'r', end));
    // As above: the next round has its timer once this one has ended.
    await waitFor(async () => {
      await clock.advance(HOUR_MS);
      return !('running' in (await kept()));
    });
    expect(await runs.find(database.reader, 'r')).toBeUndefined();
  });

  it('lose their bodies, the oldest first, when all together are too large', async () => {
    start({ bodiesBytes: 100 });
    for (const id of ['a', 'b', 'c']) {
      await keep(id, { sizeBytes: 40 });
      retention.note(40);
    }

    await waitFor(async () => !(await kept())['a']);
    expect(await kept()).toEqual({ a: false, b: true, c: true });
  });

  it('are never more than a number', async () => {
    for (let index = 0; index < 1203; index += 1) await keep(`w${index}`);
    start({ count: 3 });

    await waitFor(async () => Object.keys(await kept()).length === 3);
    expect(Object.keys(await kept())).toEqual(['w1200', 'w1201', 'w1202']);
  });
});
