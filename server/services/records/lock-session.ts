import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { LocksStore } from '../../stores/locks-store.ts';

interface LockParts {
  database: Database;
  clock: Clock;
  locks: LocksStore;
  environmentId: number;
  /** The run that owns the locks. */
  owner: string;
}

const LONGEST_KEY = 255;

/** One run's locks (`lock.*` of the bridge). Whoever ends the run calls `releaseAll`. */
export class LockSession {
  readonly #parts: LockParts;
  #mayHoldAny = false;

  constructor(parts: LockParts) {
    this.#parts = parts;
  }

  async acquire(key: string, ttlMs: number): Promise<boolean> {
    checkKey(key);
    if (!(ttlMs > 0)) throw new HomeportError('invalid_body', 'The life time of a lock must be more than 0 ms.');
    const { database, locks, clock, environmentId, owner } = this.#parts;
    const now = clock.now();
    this.#mayHoldAny = true;
    return database.transaction((tx) => locks.acquire(tx, { environmentId, key, owner, now, ttlMs: Math.ceil(ttlMs) }));
  }

  /** True only if this run held the lock. */
  async release(key: string): Promise<boolean> {
    checkKey(key);
    const { database, locks, environmentId, owner } = this.#parts;
    return database.transaction((tx) => locks.release(tx, environmentId, key, owner));
  }

  async releaseAll(): Promise<void> {
    if (!this.#mayHoldAny) return;
    this.#mayHoldAny = false;
    const { database, locks, owner } = this.#parts;
    await database.transaction((tx) => locks.releaseAll(tx, owner));
  }
}

function checkKey(key: string): void {
  if (key.length < 1 || key.length > LONGEST_KEY)
    throw new HomeportError('invalid_body', `The key of a lock has 1 to ${LONGEST_KEY} characters.`);
}
