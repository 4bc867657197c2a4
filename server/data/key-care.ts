import { join } from 'node:path';
import type { BackupFolder } from '../platform/database/backup-folder.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import { type KeyChange, type ReplacedMasterKey, replaceMasterKey } from '../platform/vault/key-rotation.ts';
import { KeychainUnavailableError } from '../platform/vault/keychain.ts';
import {
  findMasterKey,
  type KeySource,
  MasterKeyError,
  type MasterKeyOptions,
  unlockDataKey,
} from '../platform/vault/master-key.ts';
import { VaultStore } from '../platform/vault/vault.store.ts';
import type { Vault, WrappedKeyStore } from '../platform/vault/vault.ts';
import { WrappedKeyFile } from '../platform/vault/wrapped-key-file.ts';
import { DiskUseStore } from './disk-use.store.ts';

export type KeyCare = ReturnType<typeof createKeyCare>;

/** Manages the master key of a running hub: its location, its replacement, and locking the vault. */
export function createKeyCare(use: {
  database: Database;
  vault: Vault;
  keySources: MasterKeyOptions;
  /** Held while the vault is locked. */
  scheduler: Pick<Scheduler, 'hold' | 'release'>;
  backups: BackupFolder;
  clock: Clock;
  logger: Logger;
  /** `health`: the key was moved, or the vault was locked or unlocked. */
  events: EventSink<{ health: undefined }>;
}) {
  const { database, vault, keySources, scheduler, backups, clock, logger, events } = use;
  const diskUse = new DiskUseStore();
  let changing: Promise<unknown> = Promise.resolve();
  const rows = new VaultStore();
  /** Stores the wrapped data key in the database. */
  const store: WrappedKeyStore = {
    load: () => rows.findWrappedKey<KeySource>(database.reader),
    save: (key) => database.transaction((tx) => rows.upsertWrappedKey(tx, key, clock.now()), { durable: true }),
  };

  /** The reason why the next start of the hub could not open the data; undefined when it could. */
  async function findProblem(): Promise<string | undefined> {
    const stored = await store.load();
    if (!stored) return undefined;
    try {
      await findMasterKey(keySources, stored);
      return undefined;
    } catch (error) {
      if (error instanceof MasterKeyError) return error.message;
      throw error;
    }
  }

  /**
   * Replaces the current master key, even a lost one, with a new one. Throws `conflict` when the key is set from
   * outside.
   */
  function rotate(): Promise<ReplacedMasterKey> {
    const { source } = vault;
    if (source === 'environment')
      throw new HomeportError(
        'conflict',
        'The master key comes from HOMEPORT_MASTER_KEY. Stop the hub, put the new key into HOMEPORT_NEW_MASTER_KEY and run "homeport key rotate".',
      );
    return change({ key: 'new', to: source });
  }

  /** Moves the key to another place. Throws `conflict` when the keychain cannot store it. */
  function move(to: 'keychain' | 'file'): Promise<ReplacedMasterKey> {
    if (vault.source === to)
      throw new HomeportError(
        'conflict',
        `The master key is in the ${to === 'file' ? 'key file' : 'keychain'} already.`,
      );
    return change({ key: 'same', to });
  }

  /**
   * Drops the data key and all opened secrets. Until `unlock`, jobs that need a secret wait, and calls that need one
   * fail with `vault_locked`. The lock belongs to this process: the next start opens the vault. Throws `conflict` when
   * the master key is missing, because only this process has the data key then.
   */
  function lock(): Promise<void> {
    return inTurn(lockNow);
  }

  async function lockNow(): Promise<void> {
    if (vault.isLocked) return;
    const problem = await findProblem();
    if (problem !== undefined)
      throw new HomeportError(
        'conflict',
        `The vault was not locked, because it could not be unlocked again. ${problem}`,
      );
    await scheduler.hold();
    vault.lock();
    logger.info({ source: vault.source }, 'the vault was locked');
    events.emit('health', undefined);
  }

  /**
   * Reads the master key from its place, as a start does. Throws `conflict` when there is no key, or it does not open
   * the data.
   */
  function unlock(): Promise<void> {
    return inTurn(unlockNow);
  }

  async function unlockNow(): Promise<void> {
    if (vault.isLocked) {
      await openVault();
      logger.info({ source: vault.source }, 'the vault was unlocked');
      events.emit('health', undefined);
    }
    scheduler.release();
  }

  async function openVault(): Promise<void> {
    const stored = await store.load();
    if (!stored) throw new Error('The database holds no key.');
    const unlocked = await unlockDataKey(keySources, stored).catch((error: unknown) => {
      if (!(error instanceof MasterKeyError)) throw error;
      throw new HomeportError('conflict', error.message, { cause: error });
    });
    if (unlocked.toStore) await store.save(unlocked.toStore);
    vault.unlock(unlocked);
  }

  /** Waits for a running change. */
  async function stop(): Promise<void> {
    await changing;
  }

  function change(change: KeyChange): Promise<ReplacedMasterKey> {
    return inTurn(() => backups.whileStill(() => replace(change)));
  }

  /** One change at a time: each starts with the key that the previous one left. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = changing.then(work);
    changing = turn.catch(() => {});
    return turn;
  }

  async function replace(change: KeyChange): Promise<ReplacedMasterKey> {
    const openDataKey = vault.exportDataKey();
    const copies = (await backups.list()).map(
      ({ name }) => new WrappedKeyFile<KeySource>(join(backups.path, name), () => clock.now()),
    );
    try {
      const replaced = await replaceMasterKey({ ...keySources, store: store, copies, openDataKey }, change);
      // The old wrapped key must not remain in the write-ahead log.
      await diskUse.emptyLog(database);
      // A key that is set from outside hides all others until it is removed.
      if (keySources.override === undefined) vault.setSource(replaced.source);
      logger.info({ ...replaced }, 'the master key was replaced or moved');
      events.emit('health', undefined);
      return replaced;
    } catch (error) {
      if (!(error instanceof KeychainUnavailableError)) throw error;
      throw new HomeportError('conflict', error.message, { cause: error });
    } finally {
      openDataKey.fill(0);
    }
  }

  return {
    findProblem,
    rotate,
    move,
    lock,
    unlock,
    stop,
    get source(): KeySource {
      return vault.source;
    },
  };
}
