import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { EnvironmentsStore, SigningKeyRow } from './environments.store.ts';

/** How long the replaced key stays valid (design.md 7.61). */
const OVERLAP_MS = 5 * 60_000;

/** The keys that sign webhooks: an own one, else the secret key (webhooks.md 1.4). */
export function createSigningKeys(use: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  environmentsStore: EnvironmentsStore;
  /** The key of an environment without a signing key of its own. */
  secretKey(environmentId: number): Promise<string>;
}) {
  const { database, vault, clock, ids, environmentsStore, secretKey } = use;
  /** The key that apps should know. */
  async function reveal(environmentId: number): Promise<string> {
    return openCurrent(environmentId, await find(environmentId));
  }

  /** The key, and for five minutes after a rotation the one before it. */
  async function listValid(environmentId: number): Promise<[string, ...string[]]> {
    const row = await find(environmentId);
    const current = await openCurrent(environmentId, row);
    if (!isOverlapping(row)) return [current];
    return [current, vault.open(row.previous, previousContext(environmentId))];
  }

  /**
   * Creates a new key, separate from the secret key; the old one stays valid for five minutes. Throws
   * `multiple_webhook_signing_keys` meanwhile, because a third key would end the first.
   */
  async function rotate(environmentId: number): Promise<string> {
    const key = ids.uuid();
    const previous = await reveal(environmentId);
    const row = {
      sealed: vault.seal(key, currentContext(environmentId)),
      previous: vault.seal(previous, previousContext(environmentId)),
    };
    await database.transaction(
      async (tx) => {
        const stored = await environmentsStore.findSigningKey(tx, environmentId);
        if (isOverlapping(stored)) throw overlapping(stored.rotatedAt + OVERLAP_MS);
        await environmentsStore.updateSigningKey(tx, environmentId, { ...row, rotatedAt: clock.now() });
      },
      { durable: true },
    );
    return key;
  }

  function find(environmentId: number): Promise<SigningKeyRow | undefined> {
    return environmentsStore.findSigningKey(database.reader, environmentId);
  }

  async function openCurrent(environmentId: number, row: SigningKeyRow | undefined): Promise<string> {
    return row ? vault.open(row.sealed, currentContext(environmentId)) : secretKey(environmentId);
  }

  /** A rotation "in the future" was made while the clock was wrong (design.md 7.55). */
  function isOverlapping(row: SigningKeyRow | undefined): row is SigningKeyRow & { rotatedAt: number } {
    if (!row || row.rotatedAt === null || row.previous === '') return false;
    const ageMs = clock.now() - row.rotatedAt;
    return ageMs >= 0 && ageMs < OVERLAP_MS;
  }

  return { reveal, listValid, rotate };
}

function overlapping(until: number): HomeportError {
  return new HomeportError(
    'multiple_webhook_signing_keys',
    `Two signing keys are valid until ${new Date(until).toISOString()}, so that apps can change to the new one. Rotate again after that.`,
  );
}

function currentContext(environmentId: number): string {
  return `environment:${environmentId}:signing-key`;
}

function previousContext(environmentId: number): string {
  return `environment:${environmentId}:previous-signing-key`;
}
