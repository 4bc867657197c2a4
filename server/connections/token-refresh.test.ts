import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { onlyPart } from '../../test/support/only-part.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Operation } from '../log/operation.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { silentLogger } from '../platform/lib/logger.ts';
import type { CredentialsService, IssuedCredentials, RenewalFacts } from './credentials/credentials.service.ts';
import { ConnectionRenewal, type OpenConnection, type RenewalRequest } from './token-refresh.ts';

const DUE: RenewalRequest = { isForced: false, wantsAppJwt: false, isOptional: false };
const ISSUED: IssuedCredentials = { credentials: { type: 'OAUTH2', access_token: 'new' } };

/** One connection with due credentials, and a provider that answers when the test lets it. */
function setUp() {
  const open = {
    row: { id: 7, credentialsType: 'OAUTH2', provider: 'acme', credentials: 'sealed-1' },
    credentials: { type: 'OAUTH2' },
    config: {},
  } as unknown as OpenConnection;
  const renewals: Array<{ onlyAppJwt: boolean; answer: (failure?: Error) => void }> = [];
  const stored: string[] = [];
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
  const credentials: Pick<CredentialsService, 'peekNeed' | 'findNeed' | 'renew'> = {
    peekNeed: need,
    findNeed: async (_context, facts) => need(facts),
    renew: (_context, _stored, { onlyAppJwt }) =>
      new Promise((resolve, reject) => {
        renewals.push({ onlyAppJwt, answer: (failure) => (failure ? reject(failure) : resolve(ISSUED)) });
      }),
  };
  const operation = onlyPart<Operation>('operation', {
    log: () => {},
    finish: (state) => void ended.push(state),
  });
  const clock = new FakeClock();
  const renewal = new ConnectionRenewal({
    clock,
    logger: silentLogger,
    credentials: credentials as CredentialsService,
    integrations: onlyPart('integrations', { readAppCredentials: async () => ({}), readCustom: async () => ({}) }),
    catalog: { find: () => ({ name: 'acme' }) as ProviderEntry },
    log: { start: () => operation, attach: () => operation },
    journal: onlyPart('journal', {
      write: () => {
        throw new Error('full');
      },
      remove: () => {},
      readAll: () => [],
    }),
    open: async () => open,
    store: async (_id, replaces) => {
      if (refusals-- > 0) throw new Error('locked');
      isDue = false;
      stored.push(replaces);
    },
    onUnstoredChanged: () => void counts.push(renewal.unstoredCount),
    fail: async (_row, failure) => void failures.push(failure.code),
  });
  const ensure = (request: Partial<RenewalRequest> = {}) => renewal.ensure(open, { ...DUE, ...request });
  const refuse = (count: number): void => {
    refusals = count;
  };
  return { clock, counts, ended, ensure, failures, refuse, renewal, renewals, stored };
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
    const { counts, ensure, refuse, renewal, renewals, stored } = setUp();
    refuse(2);
    const first = ensure().catch((error: Error) => error.message);
    await turn();
    renewals[0]?.answer();
    expect(await first).toBe('locked');
    expect(renewal.unstoredCount).toBe(1);

    await expect(ensure()).rejects.toThrow('locked');
    await ensure();

    expect([renewals.length, stored, renewal.unstoredCount]).toEqual([1, ['sealed-1'], 0]);
    expect(counts).toEqual([1, 0]);
  });

  it('are stored in the background once the database takes them', async () => {
    const { clock, ensure, refuse, renewal, renewals, stored } = setUp();
    refuse(2);
    const first = ensure().catch(() => {});
    await turn();
    renewals[0]?.answer();
    await first;

    await clock.advance(1000);
    expect(stored).toEqual([]);
    await clock.advance(2000);

    expect([stored, renewal.unstoredCount, clock.pendingTimers]).toEqual([['sealed-1'], 0, 0]);
  });
});
