import { randomInt } from 'node:crypto';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Vault } from '../platform/vault/vault.ts';
import { type DashboardSessionRow, DashboardSessionsStore } from './dashboard-sessions.store.ts';

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

export type DashboardLogin = ReturnType<typeof createDashboardLogin>;

/** Logs browsers in to the dashboard: a one-time code becomes a session with a cookie and a token of the page. */
export function createDashboardLogin(use: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}) {
  const { database, vault, clock, ids, logger } = use;
  const sessionRows = new DashboardSessionsStore();
  /** Codes are kept in memory only; after a restart new ones are issued. */
  const linkCodes = new Map<string, OpenCode>();
  let pairing: (OpenCode & { code: string }) | undefined;
  /** Sessions seen since the start, by keyed hash of the cookie; undefined for ended ones. */
  const known = new Map<string, DashboardSessionRow | undefined>();
  const endListeners = new Map<string, Set<() => void>>();

  /** Issues a one-time code for a login link. */
  function issueLinkCode(): string {
    const code = ids.hex(24);
    linkCodes.set(code, { expiresAt: clock.now() + LINK_CODE_MS, triesLeft: 1 });
    return code;
  }

  /** Issues six digits to type; they replace the previous ones. */
  function issuePairingCode(): string {
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    pairing = { code, expiresAt: clock.now() + PAIRING_CODE_MS, triesLeft: PAIRING_TRIES };
    return code;
  }

  /** Starts a session; undefined when the code is wrong, used or expired. A code whose session cannot be stored stays valid. */
  async function redeem(
    code: string,
    { client, browser, replaces }: SessionStart,
  ): Promise<StartedSession | undefined> {
    const giveBack = takeLinkCode(code) ?? takePairingCode(code);
    if (!giveBack) return undefined;
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
      await database.transaction((tx) => sessionRows.insert(tx, session));
    } catch (error) {
      giveBack();
      throw error;
    }
    known.set(session.lookupHash, session);
    if (replaces !== undefined) await end([vault.lookupHash(replaces)]);
    return { cookie, csrfToken, maxAgeSeconds: LIFETIMES_MS[client] / 1000 };
  }

  /** The id of the session to which both secrets belong; undefined when there is none. */
  async function findSession(cookie: string, csrfToken: string): Promise<string | undefined> {
    const hash = vault.lookupHash(cookie);
    const now = clock.now();
    const session = known.has(hash) ? known.get(hash) : await sessionRows.find(database.reader, hash, now);
    if (!session || session.expiresAt <= now || session.csrfHash !== vault.lookupHash(csrfToken)) return undefined;
    // The session may have ended while it was read.
    if (known.has(hash) && known.get(hash) === undefined) return undefined;
    const isStale = now - session.lastUsedAt >= TOUCH_EVERY_MS;
    known.set(hash, isStale ? { ...session, lastUsedAt: now } : session);
    if (isStale) await touch(hash, now);
    return idOf(session);
  }

  /** Stores the time of use. The session stays valid when this fails; it is tried again after five minutes. */
  async function touch(hash: string, now: number): Promise<void> {
    try {
      await database.transaction((tx) => sessionRows.touch(tx, hash, now));
    } catch (error) {
      logger.warn({ err: error }, 'the time of the last use of a dashboard session could not be stored');
    }
  }

  /** Logged-in browsers, last used first. */
  async function listSessions(): Promise<ListedSession[]> {
    const rows = await sessionRows.list(database.reader, clock.now());
    return rows.map(({ lookupHash, csrfHash: _csrf, ...session }) => ({ id: idOf({ lookupHash }), ...session }));
  }

  /** Whether the session belongs to a command of this user instead of a browser. */
  async function isCommandLine(id: string): Promise<boolean> {
    return (await listSessions()).some((session) => session.id === id && session.browser === COMMAND_LINE);
  }

  /** Ends the sessions for which `isChosen` returns true; resolves to their number. */
  async function endSessions(isChosen: (id: string) => boolean): Promise<number> {
    const rows = await sessionRows.list(database.reader, clock.now());
    const chosen = rows.filter((row) => isChosen(idOf(row)));
    await end(chosen.map(({ lookupHash }) => lookupHash));
    return chosen.length;
  }

  /** Calls `listener` when the session is ended before it expires. Returns a function that removes the listener. */
  function onEnd(id: string, listener: () => void): () => void {
    const listeners = endListeners.get(id) ?? new Set();
    endListeners.set(id, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) endListeners.delete(id);
    };
  }

  async function end(lookupHashes: readonly string[]): Promise<void> {
    for (const lookupHash of lookupHashes) known.set(lookupHash, undefined);
    await database.transaction((tx) => sessionRows.remove(tx, lookupHashes));
    for (const lookupHash of lookupHashes)
      for (const listener of endListeners.get(idOf({ lookupHash })) ?? []) listener();
  }

  /** Takes the code, once; the result makes it valid again, until the same time. */
  function takeLinkCode(code: string): (() => void) | undefined {
    const open = linkCodes.get(code);
    linkCodes.delete(code);
    if (open === undefined || open.expiresAt <= clock.now()) return undefined;
    return () => void linkCodes.set(code, open);
  }

  function takePairingCode(code: string): (() => void) | undefined {
    const open = pairing;
    if (!open || open.expiresAt <= clock.now() || open.triesLeft <= 0) return undefined;
    open.triesLeft -= 1;
    if (open.code !== code) return undefined;
    pairing = undefined;
    return () => {
      // A code that was issued meanwhile replaces it.
      pairing ??= { ...open, triesLeft: open.triesLeft + 1 };
    };
  }

  return { issueLinkCode, issuePairingCode, redeem, findSession, listSessions, isCommandLine, endSessions, onEnd };
}

/** Identifies a session without revealing its cookie: a part of the keyed hash. */
function idOf({ lookupHash }: { lookupHash: string }): string {
  return lookupHash.slice(0, 16);
}
