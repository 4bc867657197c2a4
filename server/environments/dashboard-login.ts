import { randomInt } from 'node:crypto';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Vault } from '../platform/vault/vault.ts';
import { type DashboardSessionRow, DashboardSessionsStore } from './dashboard-sessions.store.ts';

export interface DashboardLoginOptions {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

interface OpenCode {
  expiresAt: number;
  triesLeft: number;
}

/** A link code is valid for 10 minutes (design.md 7.15), a pairing code for 2 minutes and 5 attempts (ui.md 2). */
const LINK_CODE_MS = 10 * 60_000;
const PAIRING_CODE_MS = 2 * 60_000;
const PAIRING_TRIES = 5;
const DAY_MS = 24 * 3_600_000;
/** The command line logs in for one command. A stream may last longer, because only its start is checked. */
const LIFETIMES_MS = { browser: 30 * DAY_MS, 'command-line': 3_600_000 };
/** Name of the command line in the list of sessions. */
const COMMAND_LINE = 'Command line';
/** Precision of the time of last use. */
const TOUCH_EVERY_MS = 5 * 60_000;

export interface SessionStart {
  client: keyof typeof LIFETIMES_MS;
  /** For example "Firefox on Linux". */
  browser: string;
  /** Cookie of the browser's previous session, which ends. */
  replaces: string | undefined;
}

export interface StartedSession {
  cookie: string;
  /** The second secret. The page keeps it in its storage, because all ports of the computer share cookies. */
  csrfToken: string;
  maxAgeSeconds: number;
}

export interface ListedSession {
  id: string;
  browser: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
}

/** Logs browsers in to the dashboard: a one-time code becomes a session with a cookie and a token of the page. */
export class DashboardLogin {
  readonly #options: DashboardLoginOptions;
  readonly #sessionRows = new DashboardSessionsStore();
  /** Codes are kept in memory only; after a restart new ones are issued. */
  readonly #linkCodes = new Map<string, OpenCode>();
  #pairing: (OpenCode & { code: string }) | undefined;
  /** Sessions seen since the start, by keyed hash of the cookie; undefined for ended ones. */
  readonly #known = new Map<string, DashboardSessionRow | undefined>();
  readonly #endListeners = new Map<string, Set<() => void>>();

  constructor(options: DashboardLoginOptions) {
    this.#options = options;
  }

  /** Issues a one-time code for a login link. */
  issueLinkCode(): string {
    const code = this.#options.ids.hex(24);
    this.#linkCodes.set(code, { expiresAt: this.#options.clock.now() + LINK_CODE_MS, triesLeft: 1 });
    return code;
  }

  /** Issues six digits to type; they replace the previous ones. */
  issuePairingCode(): string {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    this.#pairing = { code, expiresAt: this.#options.clock.now() + PAIRING_CODE_MS, triesLeft: PAIRING_TRIES };
    return code;
  }

  /** Starts a session; undefined when the code is wrong, used or expired. A code whose session cannot be stored stays valid. */
  async redeem(code: string, { client, browser, replaces }: SessionStart): Promise<StartedSession | undefined> {
    const giveBack = this.#takeLinkCode(code) ?? this.#takePairingCode(code);
    if (!giveBack) return undefined;
    const { clock, database, ids, vault } = this.#options;
    const [cookie, csrfToken] = [ids.hex(32), ids.hex(32)];
    const now = clock.now();
    const session: DashboardSessionRow = {
      lookupHash: vault.lookupHash(cookie),
      csrfHash: vault.lookupHash(csrfToken),
      browser: client === 'command-line' ? COMMAND_LINE : browser,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: now + LIFETIMES_MS[client],
    };
    try {
      await database.transaction((tx) => this.#sessionRows.insert(tx, session));
    } catch (error) {
      giveBack();
      throw error;
    }
    this.#known.set(session.lookupHash, session);
    if (replaces !== undefined) await this.#end([vault.lookupHash(replaces)]);
    return { cookie, csrfToken, maxAgeSeconds: LIFETIMES_MS[client] / 1000 };
  }

  /** The id of the session to which both secrets belong; undefined when there is none. */
  async findSession(cookie: string, csrfToken: string): Promise<string | undefined> {
    const { clock, database, vault } = this.#options;
    const hash = vault.lookupHash(cookie);
    const now = clock.now();
    const session = this.#known.has(hash)
      ? this.#known.get(hash)
      : await this.#sessionRows.find(database.reader, hash, now);
    if (!session || session.expiresAt <= now || session.csrfHash !== vault.lookupHash(csrfToken)) return undefined;
    // The session may have ended while it was read.
    if (this.#known.has(hash) && this.#known.get(hash) === undefined) return undefined;
    const isStale = now - session.lastUsedAt >= TOUCH_EVERY_MS;
    this.#known.set(hash, isStale ? { ...session, lastUsedAt: now } : session);
    if (isStale) await this.#touch(hash, now);
    return idOf(session);
  }

  /** Stores the time of use. The session stays valid when this fails; it is tried again after five minutes. */
  async #touch(hash: string, now: number): Promise<void> {
    const { database, logger } = this.#options;
    try {
      await database.transaction((tx) => this.#sessionRows.touch(tx, hash, now));
    } catch (error) {
      logger.warn({ err: error }, 'the time of the last use of a dashboard session could not be stored');
    }
  }

  /** Logged-in browsers, last used first. */
  async listSessions(): Promise<ListedSession[]> {
    const { clock, database } = this.#options;
    const rows = await this.#sessionRows.list(database.reader, clock.now());
    return rows.map(({ lookupHash, csrfHash: _csrf, ...session }) => ({ id: idOf({ lookupHash }), ...session }));
  }

  /** Whether the session belongs to a command of this user instead of a browser. */
  async isCommandLine(id: string): Promise<boolean> {
    return (await this.listSessions()).some((session) => session.id === id && session.browser === COMMAND_LINE);
  }

  /** Ends the sessions for which `isChosen` returns true; resolves to their number. */
  async endSessions(isChosen: (id: string) => boolean): Promise<number> {
    const { clock, database } = this.#options;
    const rows = await this.#sessionRows.list(database.reader, clock.now());
    const chosen = rows.filter((row) => isChosen(idOf(row)));
    await this.#end(chosen.map(({ lookupHash }) => lookupHash));
    return chosen.length;
  }

  /** Calls `listener` when the session is ended before it expires. Returns a function that removes the listener. */
  onEnd(id: string, listener: () => void): () => void {
    const listeners = this.#endListeners.get(id) ?? new Set();
    this.#endListeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#endListeners.delete(id);
    };
  }

  async #end(lookupHashes: readonly string[]): Promise<void> {
    const { database } = this.#options;
    for (const lookupHash of lookupHashes) this.#known.set(lookupHash, undefined);
    await database.transaction((tx) => this.#sessionRows.remove(tx, lookupHashes));
    for (const lookupHash of lookupHashes)
      for (const listener of this.#endListeners.get(idOf({ lookupHash })) ?? []) listener();
  }

  /** Takes the code, once; the result makes it valid again, until the same time. */
  #takeLinkCode(code: string): (() => void) | undefined {
    const open = this.#linkCodes.get(code);
    this.#linkCodes.delete(code);
    if (open === undefined || open.expiresAt <= this.#options.clock.now()) return undefined;
    return () => void this.#linkCodes.set(code, open);
  }

  #takePairingCode(code: string): (() => void) | undefined {
    const open = this.#pairing;
    if (!open || open.expiresAt <= this.#options.clock.now() || open.triesLeft <= 0) return undefined;
    open.triesLeft -= 1;
    if (open.code !== code) return undefined;
    this.#pairing = undefined;
    return () => {
      // A code that was issued meanwhile replaces it.
      this.#pairing ??= { ...open, triesLeft: open.triesLeft + 1 };
    };
  }
}

/** Identifies a session without revealing its cookie: a part of the keyed hash. */
function idOf({ lookupHash }: { lookupHash: string }): string {
  return lookupHash.slice(0, 16);
}
