import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { onlyPart } from '../../test/support/only-part.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Operation } from '../log/operation.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { silentLogger } from '../platform/lib/logger.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { CachedConnection, ConnectionCache } from './connection-cache.ts';
import type { ConnectionsStore } from './connections.store.ts';
import type { CredentialsService, IssuedCredentials, RenewalFacts } from './credentials/credentials.service.ts';
import { createRenewal, type RenewalRequest } from './renewal.ts';
import { createRenewalJournal } from './renewal-journal.ts';

const DUE: RenewalRequest = { isForced: false, wantsAppJwt: false, isOptional: false };
const ISSUED: IssuedCredentials = { credentials: { type: 'OAUTH2', access_token: 'new' } };

/** One connection with due credentials, a provider that answers when the test lets it, and a journal without a disk. */
function setUp() {
  const row = { id: 7, credentialsType: 'OAUTH2', provider: 'acme', credentials: 'sealed-1' } as CachedConnection;
  const renewals: Array<{ onlyAppJwt: boolean; answer: (failure?: Error) => void }> = [];
  const stored: string[] = [];
  const obtainedAt: Array<number | null> = [];
  const failures: string[] = [];
  const ended: string[] = [];
  const counts: number[] = [];
  let refusals = 0;
  let isDue = true;
  const need = ({ isForced, wantsAppJwt }: RenewalFacts) => {
    if (isForced) return 'renew' as const;
    if (!isDue) return 'none' as const;
    return wantsAppJwt ? ('app-jwt' as const) : ('renew' as const);
  };
  const operation = onlyPart<Operation>('operation', {
    id: 'operation',
    log: () => {},
    finish: (state) => void ended.push(state),
  });
  const clock = new FakeClock();
  const parts = {
    clock,
    onChanged: () => {},
    database: onlyPart<Database>('database', {
      transaction: async (work, options) => {
        if (options?.durable && refusals-- > 0) throw new Error('locked');
        return work(onlyPart<Transaction>('transaction', { afterCommit: () => {} }));
      },
    }),
    connectionsStore: onlyPart<ConnectionsStore>('connectionsStore', {
      find: async () => row,
      findByRowId: async () => row,
      update: async (_tx, _id, { lastRefreshSuccessAt, refreshAttempts }) => {
        if (refreshAttempts !== 0) return;
        isDue = false;
        stored.push(row.credentials);
        obtainedAt.push(lastRefreshSuccessAt);
      },
      removeErrors: async () => 0,
      upsertError: async () => {},
    }),
    rows: onlyPart<ConnectionCache>('rows', {
      findByRowId: async () => row,
      credentialsOf: () => ({ type: 'OAUTH2' }),
      configOf: () => ({}),
      sealCredentials: () => ({
        credentials: 'sealed-2',
        credentialsType: 'OAUTH2',
        credentialsExpireAt: null,
        credentialsEndAt: null,
      }),
    }),
  };
  const journal = createRenewalJournal({
    ...parts,
    logger: silentLogger,
    folder: '',
    vault: onlyPart<Vault>('vault', {
      sealJson: () => {
        throw new Error('full');
      },
    }),
    onUnstoredChanged: () => void counts.push(journal.unstoredCount),
  });
  const renewal = createRenewal({
    ...parts,
    journal,
    credentials: onlyPart<CredentialsService>('credentials', {
      peekNeed: need,
      findNeed: async (_context, facts) => need(facts),
      renew: (_context, _stored, { onlyAppJwt }) =>
        new Promise((resolve, reject) => {
          renewals.push({ onlyAppJwt, answer: (failure) => (failure ? reject(failure) : resolve(ISSUED)) });
        }),
    }),
    integrations: onlyPart('integrations', { readAppCredentials: async () => ({}), readCustom: async () => ({}) }),
    catalog: { find: () => ({ name: 'acme' }) as ProviderEntry },
    log: { start: () => operation, attach: () => operation },
    onFailed: async (_tx, _row, failure) => void failures.push(failure.code),
  });
  const ensure = (request: Partial<RenewalRequest> = {}) => renewal.ensureFresh(row, { ...DUE, ...request });
  const refuse = (count: number): void => {
    refusals = count;
  };
  return { clock, counts, ended, ensure, failures, journal, obtainedAt, refuse, renewals, stored };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('renewals of one connection at the same time', () => {
  it('are one for all who ask for the same', async () => {
    const { counts, ensure, renewals, stored } = setUp();
    const both = Promise.all([ensure(), ensure()]);
    await turn();
    expect(renewals).toHaveLength(1);
    renewals[0]?.answer();
    await both;

    expect(stored).toHaveLength(1);
    expect(counts).toEqual([]);
  });

  it('renew everything for who forces it beside one of the app only', async () => {
    const { ensure, renewals } = setUp();
    const app = ensure({ wantsAppJwt: true });
    await turn();
    const forced = ensure({ isForced: true });
    await turn();
    expect(renewals.map(({ onlyAppJwt }) => onlyAppJwt)).toEqual([true]);
    renewals[0]?.answer();
    await app;
    await turn();

    expect(renewals.map(({ onlyAppJwt }) => onlyAppJwt)).toEqual([true, false]);
    renewals[1]?.answer();
    await forced;
  });

  it('are as old as the request when the clock is set before they are stored', async () => {
    const { clock, ensure, obtainedAt, renewals } = setUp();
    const askedAt = clock.now();
    const waiting = ensure();
    await turn();
    clock.step(-365 * 24 * 3_600_000);
    renewals[0]?.answer();
    await waiting;

    expect(obtainedAt).toEqual([askedAt]);
  });

  it('note a failure for a waiting caller beside upkeep that notes no failure', async () => {
    const { ended, ensure, failures, renewals } = setUp();
    const failure = new HomeportError('provider_unreachable', 'Not reached.');
    const upkeep = ensure({ isOptional: true }).catch((error: HomeportError) => error.code);
    await turn();
    const waiting = ensure().catch((error: HomeportError) => error.code);
    await turn();
    renewals[0]?.answer(failure);
    await upkeep;
    expect([failures, ended]).toEqual([[], ['cancelled']]);
    await turn();
    renewals[1]?.answer(failure);

    expect(await waiting).toBe('provider_unreachable');
    expect(failures).toEqual(['provider_unreachable']);
  });
});

describe('renewed credentials that neither journal nor database take', () => {
  it('are stored before the provider is asked again', async () => {
    const { counts, ensure, journal, refuse, renewals, stored } = setUp();
    refuse(2);
    const first = ensure().catch((error: Error) => error.message);
    await turn();
    renewals[0]?.answer();
    expect(await first).toBe('locked');
    expect(journal.unstoredCount).toBe(1);

    await expect(ensure()).rejects.toThrow('locked');
    await ensure();

    expect([renewals.length, stored, journal.unstoredCount]).toEqual([1, ['sealed-1'], 0]);
    expect(counts).toEqual([1, 0]);
  });

  it('are stored in the background once the database takes them', async () => {
    const { clock, ensure, journal, refuse, renewals, stored } = setUp();
    refuse(2);
    const first = ensure().catch(() => {});
    await turn();
    renewals[0]?.answer();
    await first;

    await clock.advance(1000);
    expect(stored).toEqual([]);
    await clock.advance(2000);

    expect([stored, journal.unstoredCount, clock.pendingTimers]).toEqual([['sealed-1'], 0, 0]);
  });
});
