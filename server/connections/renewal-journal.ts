import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../log/operation.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import { isVaultLocked } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Vault } from '../platform/vault/vault.ts';
import { healthy } from './connection.ts';
import type { ConnectionCache } from './connection-cache.ts';
import type { ConnectionRow, ConnectionsStore } from './connections.store.ts';
import type { IssuedCredentials } from './credentials/credentials.service.ts';

/** Renewed credentials that may not be in the database yet. */
interface Renewed {
  connectionRowId: number;
  /** The sealed credentials that they replace: they are invalid when others were stored since. */
  replaces: string;
  issued: IssuedCredentials;
  /** When the provider was asked, by the clock of that time; files of earlier versions lack it. */
  askedAt?: number;
}

/** Renewed credentials in memory. */
interface Held extends Renewed {
  /** Their file, if it could be written. */
  fileName: string | undefined;
  /** True after the database refused them at least once. */
  isRefused: boolean;
}

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

const HELD =
  'The provider renewed the credentials, but they cannot be stored: the disk may be full or the data folder not writable. ' +
  'Homeport holds them in memory and tries again. Fix this before you quit Homeport, or the account must be connected again.';

export type RenewalJournal = ReturnType<typeof createRenewalJournal>;

/**
 * Keeps renewed credentials from the provider's response until the database has stored them. A provider that rotates
 * refresh tokens no longer accepts the old one by then, so they are kept both in a file and in memory, and are not lost
 * when one of the two fails.
 */
export function createRenewalJournal({
  database,
  connectionsStore,
  rows,
  vault,
  clock,
  logger,
  folder,
  onChanged,
  onUnstoredChanged,
}: {
  database: Database;
  connectionsStore: ConnectionsStore;
  rows: ConnectionCache;
  vault: Vault;
  clock: Clock;
  logger: Logger;
  /** Created with the first file. */
  folder: string;
  /** Called after a row was changed. */
  onChanged(connection: ConnectionRow): void;
  /** Called when `unstoredCount` has changed. */
  onUnstoredChanged(): void;
}) {
  const files = createJournalFiles({ folder, vault, clock, logger });
  /** The newest credentials of each connection. */
  const held = new Map<number, Held>();
  let notedCount = 0;
  let timer: Timer | undefined;
  let retryMs = FIRST_RETRY_MS;
  let isStopped = false;

  function countRefused(): number {
    return [...held.values()].filter(({ isRefused }) => isRefused).length;
  }

  /** Keeps credentials in memory first, because the disk may fail. Replaces earlier ones of the connection. */
  function keep(renewed: Renewed): void {
    const earlier = held.get(renewed.connectionRowId);
    const kept: Held = { ...renewed, fileName: undefined, isRefused: earlier?.isRefused ?? false };
    held.set(renewed.connectionRowId, kept);
    writeFile(kept);
    // Removed only after the newer file is written: an old one is better than none.
    if (earlier?.fileName !== undefined && kept.fileName !== undefined) files.remove(earlier.fileName);
  }

  /**
   * Stores the kept credentials of a connection. Throws when the database refuses them, and retries in the background.
   */
  async function store(connectionRowId: number, operation?: Operation): Promise<void> {
    const kept = held.get(connectionRowId);
    if (!kept) return;
    try {
      await writeRow(kept);
    } catch (error) {
      retryLater();
      // The vault was locked during the request; the credentials stay in their file until it is unlocked.
      if (isVaultLocked(error)) throw error;
      operation?.log({ level: 'error', message: HELD });
      const isJournaled = kept.fileName !== undefined;
      logger.error({ err: error, connection: connectionRowId, isJournaled }, HELD);
      kept.isRefused = true;
      noteCount();
      throw error;
    }
    if (held.get(connectionRowId) === kept) held.delete(connectionRowId);
    if (kept.fileName !== undefined) files.remove(kept.fileName);
    noteCount();
  }

  /** Keeps credentials that were stored meanwhile, for example by a person who connected again. */
  async function writeRow({
    askedAt,
    connectionRowId,
    replaces,
    issued: { credentials, config },
  }: Renewed): Promise<void> {
    await database.transaction(
      async (tx) => {
        const row = await connectionsStore.findByRowId(tx, connectionRowId);
        if (row?.credentials !== replaces) return;
        const sealed = {
          ...rows.sealCredentials(row.id, row.provider, credentials),
          ...(config ? rows.sealConfig(row.id, row.provider, { ...rows.configOf(row), ...config }) : {}),
        };
        const now = clock.now();
        const obtainedAt = askedAt ?? now;
        const renewed = { ...row, ...sealed, credentialsObtainedAt: obtainedAt, ...healthy(obtainedAt) };
        await connectionsStore.update(tx, row.id, renewed, now);
        await connectionsStore.removeErrors(tx, row.id, 'auth', '');
        tx.afterCommit(() => onChanged(row));
      },
      { durable: true },
    );
  }

  function retryLater(): void {
    if (isStopped || timer) return;
    timer = clock.after(retryMs, () => {
      timer = undefined;
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      void storeAll();
    });
  }

  /** Stores all credentials in the database; those that it refuses are written to a file. Never rejects. */
  async function storeAll(): Promise<void> {
    for (const kept of [...held.values()]) {
      try {
        await store(kept.connectionRowId);
      } catch {
        // The failure was logged and will be retried.
        if (kept.fileName === undefined) writeFile(kept);
      }
    }
    if (held.size === 0) retryMs = FIRST_RETRY_MS;
  }

  function noteCount(): void {
    const count = countRefused();
    if (count === notedCount) return;
    notedCount = count;
    onUnstoredChanged();
  }

  function writeFile(kept: Held): void {
    const { askedAt, connectionRowId, replaces, issued } = kept;
    try {
      kept.fileName = files.write({ connectionRowId, replaces, issued, ...(askedAt === undefined ? {} : { askedAt }) });
    } catch (error) {
      logger.error(
        { err: error, connection: connectionRowId },
        'The renewal journal cannot be written. Check whether the disk is full or the data folder not writable.',
      );
    }
  }

  return {
    /** Number of connections whose renewed credentials the database refused. */
    get unstoredCount(): number {
      return countRefused();
    },
    keep,
    store,

    /** Stores what the last run of the program left in files; resolves to their number. */
    async recover(): Promise<number> {
      const found = files.readAll();
      // Newest first: an older file of the same connection is invalid after the newer one is stored.
      for (const renewed of found) {
        const { connectionRowId } = renewed;
        if (held.has(connectionRowId)) continue;
        held.set(connectionRowId, { ...renewed, isRefused: false });
        await store(connectionRowId).catch(() => {
          // The failure was logged and will be retried.
        });
        if (held.has(connectionRowId)) continue;
        for (const older of found) if (older.connectionRowId === connectionRowId) files.remove(older.fileName);
      }
      return found.length;
    },

    /** Stores what is still in memory, in the database or in files. */
    async stop(): Promise<void> {
      isStopped = true;
      timer?.cancel();
      await storeAll();
    },
  };
}

const ENDING = '.renewal';
const CONTEXT = 'renewal-journal';

/**
 * The files of the journal, sealed. They are written synchronously, before any other work: a crash between the
 * provider's response and the database does not lose it.
 */
function createJournalFiles({
  folder,
  vault,
  clock,
  logger,
}: {
  folder: string;
  vault: Vault;
  clock: Clock;
  logger: Logger;
}) {
  /** Makes names from the same millisecond unique. */
  let count = 0;

  /** Call it after the content was stored, or is invalid. A file that stays does no harm: its `replaces` is outdated. */
  function remove(name: string): void {
    try {
      rmSync(join(folder, name), { force: true });
    } catch (error) {
      logger.warn({ err: error, entry: name }, 'an entry of the renewal journal could not be removed');
    }
  }

  function read(name: string): Renewed | undefined {
    let sealed: string;
    try {
      sealed = readFileSync(join(folder, name), 'utf8');
    } catch (error) {
      // It may hold a token, so it is kept for a start that can read it.
      logger.error(
        { err: error, entry: name },
        'An entry of the renewal journal cannot be read; make it readable and start again.',
      );
      return undefined;
    }
    try {
      // Files of the version before call the issued credentials `minted`.
      const { minted, ...entry } = vault.openJson<Renewed & { minted?: IssuedCredentials }>(sealed, CONTEXT);
      return minted ? { ...entry, issued: minted } : entry;
    } catch (error) {
      logger.warn({ err: error, entry: name }, 'an incomplete entry of the renewal journal was removed');
      remove(name);
      return undefined;
    }
  }

  function listNames(): string[] {
    try {
      return readdirSync(folder).filter((name) => name.endsWith(ENDING));
    } catch (error) {
      if (!hasErrorCode(error, 'ENOENT'))
        logger.error({ err: error }, 'The renewal journal cannot be read. Make its folder readable and start again.');
      return [];
    }
  }

  return {
    remove,

    /** Blocks until the file is durable; returns its name. Throws when it cannot be written, and then leaves no part. */
    write(entry: Renewed): string {
      const sealed = vault.sealJsonAlways(entry, CONTEXT);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      count += 1;
      const name = `${clock.now()}-${String(count).padStart(9, '0')}${ENDING}`;
      const path = join(folder, name);
      const file = openSync(path, 'wx', 0o600);
      let isWritten = false;
      try {
        // On a full disk only a part may be written.
        if (writeSync(file, sealed) < Buffer.byteLength(sealed))
          throw new Error('Only a part of the entry was written.');
        fsyncSync(file);
        isWritten = true;
      } finally {
        closeSync(file);
        if (!isWritten) rmSync(path, { force: true });
      }
      return name;
    },

    /**
     * What the last run of the program left, newest first: of two files for one connection, the newer one must be
     * stored. Removes incomplete files.
     */
    readAll(): Array<Renewed & { fileName: string }> {
      const names = listNames().sort().reverse();
      return names.flatMap((fileName) => {
        const renewed = read(fileName);
        return renewed ? [{ ...renewed, fileName }] : [];
      });
    },
  };
}
