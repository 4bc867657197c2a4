import { randomInt } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { UiSessionsStore } from '../../stores/ui-sessions-store.ts';
import type { Vault } from '../../vault/vault.ts';

export interface SignInOptions {
  database: Database;
  sessions: UiSessionsStore;
  vault: Vault;
  clock: Clock;
  ids: Ids;
}

interface OpenCode {
  expiresAt: number;
  triesLeft: number;
}

/** A link code lives 10 minutes (design.md 7.15), a pairing code 2 minutes and 5 tries (ui.md 2). */
const LINK_CODE_MS = 10 * 60_000;
const PAIRING_CODE_MS = 2 * 60_000;
const PAIRING_TRIES = 5;
const SESSION_MS = 90 * 24 * 3_600_000;

/** Signs browsers in to the dashboard: a code that works once becomes a session cookie. */
export class SignIn {
  readonly #options: SignInOptions;
  /** Codes live in memory only; a restart makes new ones. */
  readonly #linkCodes = new Map<string, OpenCode>();
  #pairing: (OpenCode & { code: string }) | undefined;
  /** Sessions seen since the start, by keyed hash of the cookie. */
  readonly #known = new Map<string, number>();

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** A one-time code for a sign-in link. */
  issueLinkCode(): string {
    const code = this.#options.ids.hex(24);
    this.#linkCodes.set(code, { expiresAt: this.#options.clock.now() + LINK_CODE_MS, triesLeft: 1 });
    return code;
  }

  /** Six digits to type; a new one replaces the last. */
  issuePairingCode(): string {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    this.#pairing = { code, expiresAt: this.#options.clock.now() + PAIRING_CODE_MS, triesLeft: PAIRING_TRIES };
    return code;
  }

  /** The value of the session cookie, or undefined when the code is wrong, used or too old. */
  async redeem(code: string): Promise<{ cookie: string; maxAgeSeconds: number } | undefined> {
    if (!this.#takeLinkCode(code) && !this.#takePairingCode(code)) return undefined;
    const { clock, database, ids, sessions, vault } = this.#options;
    const cookie = ids.hex(32);
    const hash = vault.lookupHash(cookie);
    const now = clock.now();
    await database.transaction((tx) => sessions.insert(tx, hash, now, now + SESSION_MS));
    this.#known.set(hash, now + SESSION_MS);
    return { cookie, maxAgeSeconds: SESSION_MS / 1000 };
  }

  async isSignedIn(cookie: string): Promise<boolean> {
    const { clock, database, sessions, vault } = this.#options;
    const hash = vault.lookupHash(cookie);
    const now = clock.now();
    const knownUntil = this.#known.get(hash);
    if (knownUntil !== undefined) return knownUntil > now;
    if (!(await sessions.isLive(database.reader, hash, now))) return false;
    this.#known.set(hash, now + SESSION_MS);
    return true;
  }

  #takeLinkCode(code: string): boolean {
    const open = this.#linkCodes.get(code);
    this.#linkCodes.delete(code);
    return open !== undefined && open.expiresAt > this.#options.clock.now();
  }

  #takePairingCode(code: string): boolean {
    const open = this.#pairing;
    if (!open || open.expiresAt <= this.#options.clock.now() || open.triesLeft <= 0) return false;
    open.triesLeft -= 1;
    if (open.code !== code) return false;
    this.#pairing = undefined;
    return true;
  }
}
