import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { CreatedKey } from './api-keys.ts';
import { createAppPairings } from './app-pairings.ts';
import type { Environment } from './environment.service.ts';

const PAIRING_MS = 120_000;
const ENVIRONMENT = { id: 1, name: 'dev' } as Environment;

/** One request for a key, whose creation the test completes. */
function requestKey() {
  const clock = new FakeClock();
  const key = Promise.withResolvers<CreatedKey>();
  const ends: string[] = [];
  const pairings = createAppPairings({
    keys: { create: () => key.promise },
    clock,
    ids: { uuid: () => 'pairing-1', hex: (count) => '0f'.repeat(count) },
    events: { emit: (_name, { end }) => void (end && ends.push(end)) },
  });
  const { id, code } = pairings.create(ENVIRONMENT, { name: 'Notes', scopes: [], process: null });
  return { clock, code, ends, id, key, pairings };
}

describe('AppPairings', () => {
  it('keeps a request that was allowed in time while its key is created', async () => {
    const { clock, code, ends, id, key, pairings } = requestKey();

    const allowing = pairings.allow(ENVIRONMENT.id, id, { name: 'Notes', scopes: [] });
    await clock.advance(PAIRING_MS);
    key.resolve({ id: 7, displayName: 'Notes', scopes: [], secret: 'secret-1', createdAt: clock.now() });
    await allowing;

    expect(ends).toEqual(['allowed']);
    expect(pairings.poll(id, code)).toMatchObject({ status: 'allowed', secretKey: 'secret-1' });
  });

  it('lets a request expire whose key could not be created in time', async () => {
    const { clock, code, ends, id, key, pairings } = requestKey();

    const allowing = pairings.allow(ENVIRONMENT.id, id, { name: 'Notes', scopes: [] });
    await clock.advance(PAIRING_MS);
    key.reject(new Error('the disk is full'));

    await expect(allowing).rejects.toThrow('the disk is full');
    expect(ends).toEqual(['expired']);
    expect(pairings.poll(id, code)).toEqual({ status: 'expired' });
  });
});
