import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { onlyPart } from '../../test/support/only-part.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import { silentLogger } from '../platform/lib/logger.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { ConnectionCache } from './connection-cache.ts';
import type { ConnectionsStore } from './connections.store.ts';
import type { StoredCredentials } from './credentials/credentials.service.ts';
import { createRenewalJournal } from './renewal-journal.ts';

it('stores what a version before left in a file, under the old name', async ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const minted = { credentials: { type: 'OAUTH2', access_token: 'new' } };
  writeFileSync(
    join(folder, '1-000000001.renewal'),
    JSON.stringify({ connectionRowId: 7, replaces: 'sealed-1', minted }),
  );
  const stored: StoredCredentials[] = [];
  const journal = createRenewalJournal({
    folder,
    vault: onlyPart<Vault>('vault', { openJson: <T>(sealed: string) => JSON.parse(sealed) as T }),
    clock: new FakeClock(),
    logger: silentLogger,
    database: onlyPart<Database>('database', {
      transaction: (work) => work(onlyPart<Transaction>('transaction', { afterCommit: () => {} })),
    }),
    connectionsStore: onlyPart<ConnectionsStore>('connectionsStore', {
      findByRowId: async () => ({ id: 7, provider: 'acme', credentials: 'sealed-1' }) as never,
      update: async () => {},
      removeErrors: async () => 0,
    }),
    rows: onlyPart<ConnectionCache>('rows', {
      sealCredentials: (_id, _provider, credentials) => {
        stored.push(credentials);
        return {
          credentials: 'sealed-2',
          credentialsType: 'OAUTH2',
          credentialsExpireAt: null,
          credentialsEndAt: null,
        };
      },
    }),
    onChanged: () => {},
    onUnstoredChanged: () => {},
  });

  expect(await journal.recover()).toBe(1);

  expect(stored).toEqual([minted.credentials]);
  expect(readdirSync(folder)).toEqual([]);
});
