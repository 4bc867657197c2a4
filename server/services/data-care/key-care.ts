import { join } from 'node:path';
import type { BackupFolder } from '../../database/backup-folder.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { EventSink } from '../../lib/event-hub.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { DiskUseStore } from '../../stores/disk-use-store.ts';
import { VaultStore } from '../../stores/vault-store.ts';
import { WrappedKeyFile } from '../../stores/wrapped-key-file.ts';
import { type KeyChange, type ReplacedMasterKey, replaceMasterKey } from '../../vault/key-rotation.ts';
import { KeychainUnavailableError } from '../../vault/keychain.ts';
import { findMasterKey, type KeySource, MasterKeyError, type MasterKeyOptions } from '../../vault/master-key.ts';
import type { Vault } from '../../vault/vault.ts';

export interface KeyCareOptions {
  database: Database;
  vault: Vault;
  keySources: MasterKeyOptions;
  backups: BackupFolder;
  clock: Clock;
  logger: Logger;
  /** `health`: the key is somewhere else. */
  events: EventSink<{ health: undefined }>;
}

/** The master key of a running hub: where it is, and how it is replaced or moved. */
export class KeyCare {
  readonly #options: KeyCareOptions;
  readonly #diskUse = new DiskUseStore();
  readonly #vaultRows = new VaultStore();
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: KeyCareOptions) {
    this.#options = options;
  }

  get source(): KeySource {
    return this.#options.vault.source;
  }

  /** Why the next start of the hub would not open the data; undefined when the key is where it should be. */
  async findProblem(): Promise<string | undefined> {
    const { database, keySources } = this.#options;
    const stored = await this.#vaultRows.findWrappedKey<KeySource>(database.reader);
    if (!stored) return undefined;
    try {
      await findMasterKey(keySources, stored);
      return undefined;
    } catch (error) {
      if (error instanceof MasterKeyError) return error.message;
      throw error;
    }
  }

  /** Replaces the present key, also one that was lost, by a new one. Throws `conflict` when it is given from outside. */
  rotate(): Promise<ReplacedMasterKey> {
    const { source } = this;
    if (source === 'environment')
      throw new HomeportError(
        'conflict',
        'The master key comes from HOMEPORT_MASTER_KEY. Stop the hub, put the new key into HOMEPORT_NEW_MASTER_KEY and run "homeport key rotate".',
      );
    return this.#change({ key: 'new', to: source });
  }

  /** The same key, kept elsewhere. Throws `conflict` when the keychain cannot take it. */
  move(to: 'keychain' | 'file'): Promise<ReplacedMasterKey> {
    if (this.source === to)
      throw new HomeportError(
        'conflict',
        `The master key is in the ${to === 'file' ? 'key file' : 'keychain'} already.`,
      );
    return this.#change({ key: 'same', to });
  }

  /** Waits for a change that is under way. */
  async stop(): Promise<void> {
    await this.#changing;
  }

  /** One at a time: each begins with the key that the last one left. */
  #change(change: KeyChange): Promise<ReplacedMasterKey> {
    const turn = this.#changing.then(() => this.#replace(change));
    this.#changing = turn.catch(() => {});
    return turn;
  }

  async #replace(change: KeyChange): Promise<ReplacedMasterKey> {
    const { backups, clock, database, events, keySources, logger, vault } = this.#options;
    const copies = (await backups.list()).map(
      ({ name }) => new WrappedKeyFile<KeySource>(join(backups.path, name), () => clock.now()),
    );
    const store = {
      load: () => this.#vaultRows.findWrappedKey<KeySource>(database.reader),
      save: (key: Parameters<VaultStore['upsertWrappedKey']>[1]) =>
        database.transaction((tx) => this.#vaultRows.upsertWrappedKey(tx, key, clock.now()), { durable: true }),
    };
    try {
      const replaced = await replaceMasterKey(
        { ...keySources, store, copies, openDataKey: vault.exportDataKey() },
        change,
      );
      // The old wrapped key must not stay behind in the write-ahead log.
      await this.#diskUse.emptyLog(database);
      // A given key hides all others until it is taken away.
      if (keySources.override === undefined) vault.noteSource(replaced.source);
      logger.info({ ...replaced }, 'the master key was replaced or moved');
      events.emit('health', undefined);
      return replaced;
    } catch (error) {
      if (!(error instanceof KeychainUnavailableError)) throw error;
      throw new HomeportError('conflict', error.message, { cause: error });
    }
  }
}
