import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { silentLogger } from '../platform/lib/logger.ts';
import { UnsealError } from '../platform/vault/seal.ts';
import { createBackgroundRefresh, type StoredTestResult } from './stored-connection-tests.ts';

const ACCEPTED: StoredTestResult = { outcome: 'accepted', message: null, operationId: null };

/** A round over the connections `a`, `b` and `c`; the check of `b` fails with the error. */
function roundWith(error: Error) {
  const checked: string[] = [];
  const errors: unknown[] = [];
  const unused = ['a', 'b', 'c'].map((connectionId, index) => ({ id: index + 1, connectionId }) as StoredConnection);
  const refresh = createBackgroundRefresh({
    clock: new FakeClock(),
    logger: { ...silentLogger, error: (fields) => void errors.push(fields) },
    connections: { listUnused: async () => unused } as unknown as ConnectionsService,
    tests: {
      check: async ({ connectionId }) => {
        checked.push(connectionId);
        if (connectionId === 'b') throw error;
        return ACCEPTED;
      },
    },
    vault: { isLocked: false },
  });
  return { checked, errors, refresh };
}

describe('BackgroundRefresh', () => {
  it('continues after a connection whose credentials cannot be opened, and reports it', async () => {
    const { checked, errors, refresh } = roundWith(new UnsealError('The sealed value is too short.'));

    expect(await refresh.run()).toBe(3);
    expect(checked).toEqual(['a', 'b', 'c']);
    expect(errors).toEqual([expect.objectContaining({ connection: 'b' })]);
  });

  it('continues after a connection that was deleted since it was listed', async () => {
    const { checked, errors, refresh } = roundWith(new HomeportError('not_found', 'The connection was deleted.'));

    expect(await refresh.run()).toBe(3);
    expect([checked, errors]).toEqual([['a', 'b', 'c'], []]);
  });

  it('ends at another failure, because renewed credentials may not be stored', async () => {
    const { checked, refresh } = roundWith(new Error('the disk is full'));

    await expect(refresh.run()).rejects.toThrow('the disk is full');
    expect(checked).toEqual(['a', 'b']);
  });
});
