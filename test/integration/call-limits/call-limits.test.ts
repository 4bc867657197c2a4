import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createLimitsService,
  type LimitedCall,
  type LimitSubject,
  type LimitsService,
} from '../../../server/limits/limits.service.ts';
import { BackupFolder } from '../../../server/platform/database/backup-folder.ts';
import type { Database } from '../../../server/platform/database/database.ts';
import { openDatabase } from '../../../server/platform/database/open-database.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { HomeportError } from '../../../server/platform/lib/homeport-error.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const SESSION: LimitSubject = { kind: 'session', id: 's1' };
const OTHER: LimitSubject = { kind: 'session', id: 's2' };
const PROGRAM: LimitSubject = { kind: 'program', id: 'Editor' };
const KEY: LimitSubject = { kind: 'key', id: '7' };

let home: TempHome;
let database: Database;
let clock: FakeClock;
let limits: LimitsService;
let revoke: (key: { environmentId: number; keyId: number }) => void;

beforeEach(async () => {
  home = await createTempHome();
  clock = new FakeClock();
  await open();
  await database.transaction(async (tx) => {
    await tx.run(
      `INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at)
       VALUES (1, 'u', 'dev', '{}', '', 0, 0)`,
      [],
    );
    await tx.run(
      `INSERT INTO api_keys (id, environment_id, display_name, scopes, lookup_hash, secret, created_at)
       VALUES (7, 1, 'Desk', '[]', 'h', 's', 0)`,
      [],
    );
    for (const { id } of [SESSION, OTHER])
      await tx.run(
        `INSERT INTO agent_sessions (id, environment_id, made_by, token_hash, scope, created_at, expires_at)
         VALUES (?, 1, 'key', '', '{}', 0, 1)`,
        [id],
      );
  });
});
afterEach(async () => {
  await database.close();
  await home.remove();
});

/** Opens the data folder, as a start of the hub does. */
async function open(): Promise<void> {
  const backups = new BackupFolder({ home: home.path, clock: systemClock });
  const parts = { home: home.path, backups, migrations: MIGRATIONS, clock: systemClock, logger: silentLogger };
  database = (await openDatabase(parts)).database;
  const onRevoked = (listener: typeof revoke): void => {
    revoke = listener;
  };
  limits = createLimitsService({ clock, database, environments: { keys: { onRevoked } } });
  await limits.start();
}

const call = (parts: Partial<LimitedCall> = {}): LimitedCall => ({
  environmentId: 1,
  subjects: [SESSION],
  kind: 'read',
  ...parts,
});

/** `ok`, or the name of the limit. */
async function outcome(parts: Partial<LimitedCall> = {}): Promise<string> {
  try {
    await limits.admit(call(parts));
    return 'ok';
  } catch (error) {
    if (!(error instanceof HomeportError)) throw error;
    return String((error.payload as { limit: string }).limit);
  }
}
const count = async (times: number, parts: Partial<LimitedCall> = {}): Promise<number> => {
  const all = await Promise.all(Array.from({ length: times }, () => outcome(parts)));
  return all.filter((one) => one === 'ok').length;
};
const used = async ({ id, kind }: LimitSubject) =>
  (await limits.list(1)).find((one) => one.kind === kind && one.id === id)?.used ?? { calls: 0, writes: 0, cost: 0 };

describe('calls per minute', () => {
  it('are 120 for a session that says nothing else, whatever comes at once', async () => {
    expect(await count(150)).toBe(120);
    expect(await outcome()).toBe('calls_per_minute');
  });

  it('are free again after a minute, not after a step of the clock', async () => {
    await limits.change(1, SESSION, { callsPerMinute: 2 });
    expect(await count(3)).toBe(2);

    clock.step(3_600_000);
    expect(await outcome()).toBe('calls_per_minute');
    clock.step(-7_200_000);
    expect(await outcome()).toBe('calls_per_minute');
    await clock.advance(59_000);
    expect(await outcome()).toBe('calls_per_minute');
    await clock.advance(1_000);
    expect(await count(3)).toBe(2);
  });

  it('refuse with what a model needs: which limit, whose, and when again', async () => {
    await limits.change(1, SESSION, { callsPerMinute: 1 });
    await limits.admit(call());
    await clock.advance(20_000);

    const error = await Promise.resolve(limits.admit(call())).catch((thrown: unknown) => thrown as HomeportError);

    expect(error).toMatchObject({
      code: 'call_rate_reached',
      status: 429,
      retryAfterS: 40,
      message: expect.stringMatching(/^The session may make 1 calls per minute, .* Repeat this call after 40 s/),
      payload: { limit: 'calls_per_minute', of: 'session', id: 's1', allowed: 1, used: 1, retry_after: 40 },
    });
  });
});

describe('limits in all', () => {
  it('let exactly one of two calls take the last slot', async () => {
    await limits.change(1, SESSION, { calls: 1 });
    expect(await count(2)).toBe(1);
    await limits.change(1, OTHER, { writes: 3 });
    expect(await count(20, { subjects: [OTHER], kind: 'write' })).toBe(3);
  });

  it('survive a restart', async () => {
    await limits.change(1, SESSION, { calls: 3, writes: 1, cost: 2 });
    await limits.admit(call({ kind: 'write' }));
    await limits.spend(1, [SESSION], 1.5);
    await database.close();
    await open();

    expect(await used(SESSION)).toEqual({ calls: 1, writes: 1, cost: 1.5 });
    expect(await outcome({ kind: 'write' })).toBe('writes');
    expect(await count(5)).toBe(2);
  });

  it('hold for all sessions of a key and a program together', async () => {
    await limits.change(1, KEY, { calls: 3 });
    await limits.change(1, PROGRAM, { writes: 1 });

    expect(await count(2, { subjects: [SESSION, KEY] })).toBe(2);
    expect(await count(2, { subjects: [OTHER, KEY] })).toBe(1);
    expect(await outcome({ subjects: [SESSION, PROGRAM], kind: 'write' })).toBe('ok');
    expect(await outcome({ subjects: [OTHER, PROGRAM], kind: 'write' })).toBe('writes');
  });

  it('count nothing for any of them when one refuses', async () => {
    await limits.change(1, KEY, { calls: 0 });

    expect(await count(5, { subjects: [SESSION, KEY], kind: 'write' })).toBe(0);

    expect(await used(SESSION)).toEqual({ calls: 0, writes: 0, cost: 0 });
  });

  it('count a write when it is done, after its call was counted', async () => {
    await limits.change(1, SESSION, { calls: 1, writes: 1 });
    await limits.admit(call({ counts: 'call' }));

    expect(await outcome({ kind: 'write', counts: 'check' })).toBe('ok');
    expect(await outcome({ kind: 'write', counts: 'write' })).toBe('ok');
    expect(await outcome({ kind: 'write', counts: 'check' })).toBe('writes');
    expect(await used(SESSION)).toEqual({ calls: 1, writes: 1, cost: 0 });
  });

  it('say that reading goes on, and where a person raises them', async () => {
    await limits.change(1, SESSION, { writes: 0 });

    await expect(limits.admit(call({ kind: 'write' }))).rejects.toMatchObject({
      code: 'call_limit_reached',
      status: 403,
      message: expect.stringMatching(
        /may write 0 times in all.*only read still work.*with: homeport agents limits set session "s1" --writes/,
      ),
    });
    expect(await outcome()).toBe('ok');
  });
});

describe('cost', () => {
  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('is never %s', async (amount) => {
    await expect(limits.spend(1, [SESSION], amount)).rejects.toMatchObject({ code: 'invalid_body' });
    expect((await used(SESSION)).cost).toBe(0);
  });

  it('refuses once it is reached; a function that reports nothing is free', async () => {
    await limits.change(1, SESSION, { cost: 1 });
    expect(await count(10)).toBe(10);
    await Promise.all(Array.from({ length: 4 }, () => limits.spend(1, [SESSION], 0.25)));

    expect(await outcome()).toBe('cost');
  });
});

describe('hosts and methods', () => {
  it.each([
    ['api.example.com', 'ok'],
    ['API.example.com', 'ok'],
    ['www.shop.test', 'ok'],
    ['shop.test', 'hosts'],
    ['evilshop.test', 'hosts'],
    ['api.example.com.evil.test', 'hosts'],
  ])('%s: %s', async (host, expected) => {
    await limits.change(1, SESSION, { hosts: ['api.example.com', '*.shop.test'] });
    expect(await outcome({ host })).toBe(expected);
  });

  it('refuses other methods', async () => {
    await limits.change(1, SESSION, { methods: ['GET'] });
    expect(await outcome({ method: 'get' })).toBe('ok');
    expect(await outcome({ method: 'DELETE' })).toBe('methods');
  });
});

describe('a key', () => {
  it('without limits costs nothing, not even a turn', () => {
    expect(limits.admit(call({ subjects: [KEY] }))).toBeUndefined();
  });

  it('that is revoked takes its limits along: a later key may get its id', async () => {
    await limits.change(1, KEY, { calls: 0 });
    await database.transaction((tx) => tx.run('DELETE FROM api_keys WHERE id = 7', []));
    revoke({ environmentId: 1, keyId: 7 });

    expect(limits.admit(call({ subjects: [KEY] }))).toBeUndefined();
    expect(await limits.list(1)).toMatchObject([{ kind: 'sessions' }]);
  });

  it.each([
    [{ calls: 5 }, true],
    [{ calls: 6 }, false],
    [{ calls: null }, false],
    [{ hosts: ['a.example.com'] }, true],
    [{ hosts: ['example.org'] }, false],
    [{ hosts: ['*.example.com'] }, true],
    [{ methods: ['GET', 'POST'] }, false],
    [{ callsPerMinute: 1000 }, true],
    [{}, true],
  ])('that has limits makes a session with %j: %s', async (own, isAllowed) => {
    await limits.change(1, KEY, { calls: 5, hosts: ['*.example.com'], methods: ['GET'] });
    const assert = (): void => limits.assertWithinKey(1, 7, own);
    if (isAllowed) assert();
    else expect(assert).toThrow(HomeportError);
  });
});

describe('a change', () => {
  it('holds at once, for running sessions too, and can be taken back', async () => {
    await limits.change(1, { kind: 'sessions', id: '' }, { writes: 1 });
    expect(await count(2, { kind: 'write' })).toBe(1);
    await limits.change(1, SESSION, { writes: null });
    expect(await count(2, { kind: 'write' })).toBe(2);
    await limits.change(1, SESSION, null);

    expect(await outcome({ kind: 'write' })).toBe('writes');
    expect(await limits.list(1)).toMatchObject([
      { kind: 'sessions', limits: { writes: 1, callsPerMinute: 120 } },
      { kind: 'session', id: 's1', limits: { writes: 1 }, used: { writes: 3 } },
    ]);
  });
});
