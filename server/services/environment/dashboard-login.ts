import { randomInt } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { type UiSessionRow, UiSessionsStore } from '../../stores/ui-sessions-store.ts';
import type { Vault } from '../../vault/vault.ts';

export interface DashboardLoginOptions {
  database: Database;
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
const DAY_MS = 24 * 3_600_000;
/** The command line signs in for one command; its longest ones follow a stream, which is checked when it opens. */
const LIFETIMES_MS = { browser: 30 * DAY_MS, 'command-line': 3_600_000 };
/** What the list of sessions calls the command line. */
const COMMAND_LINE = 'Command line';
/** How exact the time of the last use is kept. */
const TOUCH_EVERY_MS = 5 * 60_000;

export interface SessionStart {
  client: keyof typeof LIFETIMES_MS;
  /** "Firefox on Linux". */
  browser: string;
  /** Cookie of the session that the same browser had until now; it ends. */
  replaces: string | undefined;
}

export interface StartedSession {
  cookie: string;
  /** The second secret: kept by the page, whose storage, unlike cookies, is not shared with other ports. */
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

/** Signs browsers in to the dashboard: a code that works once becomes a session of a cookie and a token of the page. */
export class DashboardLogin {
  readonly #options: DashboardLoginOptions;
  readonly #sessionRows = new UiSessionsStore();
  /** Codes live in memory only; a restart makes new ones. */
  readonly #linkCodes = new Map<string, OpenCode>();
  #pairing: (OpenCode & { code: string }) | undefined;
  /** Sessions seen since the start, by keyed hash of the cookie; undefined once ended. */
  readonly #known = new Map<string, UiSessionRow | undefined>();
  readonly #endListeners = new Map<string, Set<() => void>>();

  constructor(options: DashboardLoginOptions) {
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

  /** A new session, or undefined when the code is wrong, used or too old. */
  async redeem(code: string, { client, browser, replaces }: SessionStart): Promise<StartedSession | undefined> {
    if (!this.#takeLinkCode(code) && !this.#takePairingCode(code)) return undefined;
    const { clock, database, ids, vault } = this.#options;
    const [cookie, csrfToken] = [ids.hex(32), ids.hex(32)];
    const now = clock.now();
    const session: UiSessionRow = {
      lookupHash: vault.lookupHash(cookie),
      csrfHash: vault.lookupHash(csrfToken),
      browser: client === 'command-line' ? COMMAND_LINE : browser,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: now + LIFETIMES_MS[client],
    };
    await database.transaction((tx) => this.#sessionRows.insert(tx, session));
    this.#known.set(session.lookupHash, session);
    if (replaces !== undefined) await this.#end([vault.lookupHash(replaces)]);
    return { cookie, csrfToken, maxAgeSeconds: LIFETIMES_MS[client] / 1000 };
  }

  /** The id of the session that both secrets belong to; undefined when there is none. */
  async findSession(cookie: string, csrfToken: string): Promise<string | undefined> {
    const { clock, database, vault } = this.#options;
    const hash = vault.lookupHash(cookie);
    const now = clock.now();
    const session = this.#known.has(hash)
      ? this.#known.get(hash)
      : await this.#sessionRows.find(database.reader, hash, now);
    if (!session || session.expiresAt <= now || session.csrfHash !== vault.lookupHash(csrfToken)) return undefined;
    // It may have ended while it was read.
    if (this.#known.has(hash) && this.#known.get(hash) === undefined) return undefined;
    const isStale = now - session.lastUsedAt >= TOUCH_EVERY_MS;
    this.#known.set(hash, isStale ? { ...session, lastUsedAt: now } : session);
    if (isStale) await database.transaction((tx) => this.#sessionRows.touch(tx, hash, now));
    return idOf(session);
  }

  /** Browsers that are signed in, the last used first. */
  async listSessions(): Promise<ListedSession[]> {
    const { clock, database } = this.#options;
    const rows = await this.#sessionRows.list(database.reader, clock.now());
    return rows.map(({ lookupHash, csrfHash: _csrf, ...session }) => ({ id: idOf({ lookupHash }), ...session }));
  }

  /** Whether a command of this user, not a browser, has the session. */
  async isCommandLine(id: string): Promise<boolean> {
    return (await this.listSessions()).some((session) => session.id === id && session.browser === COMMAND_LINE);
  }

  /** Ends the sessions that `isChosen` picks by their id; resolves to how many there were. */
  async endSessions(isChosen: (id: string) => boolean): Promise<number> {
    const { clock, database } = this.#options;
    const rows = await this.#sessionRows.list(database.reader, clock.now());
    const chosen = rows.filter((row) => isChosen(idOf(row)));
    await this.#end(chosen.map(({ lookupHash }) => lookupHash));
    return chosen.length;
  }

  /** Calls `listener` when the session ends before its time; the result stops that. */
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

/** Names a session without telling its cookie: the hash is keyed, and this is a part of it. */
function idOf({ lookupHash }: { lookupHash: string }): string {
  return lookupHash.slice(0, 16);
}
