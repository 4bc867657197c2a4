import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { OAuthRefusal } from './oauth-refusal.ts';
import type { AgentTokens } from './sign-in.contract.ts';
import type { AgentSignInStore, AgentTokenRow, CodeBinding } from './sign-in.store.ts';

const CODE_MS = 60_000;
const ACCESS_MS = 3_600_000;
/** Bytes of codes and tokens. */
const TOKEN_BYTES = 32;

/** Codes and tokens of sign-ins: their hashes are stored, each code and each refresh token is for one use. */
export function createAgentTokens({
  clock,
  database,
  endSession,
  ids,
  isLive,
  store,
  vault,
}: {
  clock: Clock;
  database: Database;
  /** Ends an agent session, when its tokens were stolen or given back. */
  endSession(sessionId: string): Promise<unknown>;
  ids: Ids;
  /** Milliseconds at which the session is over; undefined when it is over now. */
  isLive(sessionId: string): Promise<{ expiresAt: number } | undefined>;
  store: AgentSignInStore;
  vault: Pick<Vault, 'lookupHash'>;
}) {
  const issue = async (
    tx: Transaction,
    { clientId, sessionId }: Pick<AgentTokenRow, 'clientId' | 'sessionId'>,
    sessionEndsAt: number,
  ): Promise<AgentTokens> => {
    const now = clock.now();
    const [access, refresh] = [newToken('access'), newToken('refresh')];
    const accessEndsAt = Math.min(now + ACCESS_MS, sessionEndsAt);
    const row = { clientId, sessionId, binding: null };
    await store.removeExpiredAccess(tx, now);
    await store.insertToken(tx, {
      ...row,
      kind: 'access',
      tokenHash: vault.lookupHash(access),
      expiresAt: accessEndsAt,
    });
    await store.insertToken(tx, {
      ...row,
      kind: 'refresh',
      tokenHash: vault.lookupHash(refresh),
      expiresAt: sessionEndsAt,
    });
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: Math.max(1, Math.floor((accessEndsAt - now) / 1000)),
      refresh_token: refresh,
    };
  };

  const newToken = (kind: 'code' | 'access' | 'refresh'): string => `homeport_agent_${kind}_${ids.hex(TOKEN_BYTES)}`;

  /** Uses a code or a refresh token once, for new tokens. A second use ends the session: one of both was stolen. */
  const redeem = async (token: string, check: (row: AgentTokenRow) => void, kind: 'code' | 'refresh') => {
    const invalid = new OAuthRefusal('invalid_grant', 'It is not valid any more. Sign in again.');
    const row = await store.findToken(database.reader, vault.lookupHash(token));
    if (!row || row.kind !== kind) throw invalid;
    const reused = async (): Promise<never> => {
      await endSession(row.sessionId);
      await database.transaction((tx) => store.removeOfSession(tx, row.sessionId));
      throw new OAuthRefusal('invalid_grant', 'It was used before, so its session has ended. Sign in again.');
    };
    if (row.usedAt !== null) return reused();
    check(row);
    const live = await isLive(row.sessionId);
    if (!live || row.expiresAt <= clock.now()) throw invalid;
    const issued = await database.transaction(async (tx) => {
      if (!(await store.useToken(tx, row.tokenHash, clock.now()))) return undefined;
      await store.touchClient(tx, row.clientId, clock.now());
      return issue(tx, row, live.expiresAt);
    });
    return issued ?? reused();
  };

  return {
    redeem,

    /** A code for a session; its holder proves the binding. */
    async issueCode({
      clientId,
      codeChallenge,
      redirectUri,
      sessionId,
    }: CodeBinding & Pick<AgentTokenRow, 'clientId' | 'sessionId'>): Promise<string> {
      const code = newToken('code');
      await database.transaction((tx) =>
        store.insertToken(tx, {
          tokenHash: vault.lookupHash(code),
          sessionId,
          clientId,
          kind: 'code',
          binding: { redirectUri, codeChallenge },
          expiresAt: clock.now() + CODE_MS,
        }),
      );
      return code;
    },

    /** The session of an access token; undefined when it is unknown or over. */
    async findSessionId(accessToken: string): Promise<string | undefined> {
      const row = await store.findToken(database.reader, vault.lookupHash(accessToken));
      return row?.kind === 'access' && row.expiresAt > clock.now() ? row.sessionId : undefined;
    },

    /** Ends the session of the token; an unknown one ends nothing. */
    async revoke(token: string): Promise<void> {
      const row = await store.findToken(database.reader, vault.lookupHash(token));
      if (!row) return;
      await endSession(row.sessionId);
      await database.transaction((tx) => store.removeOfSession(tx, row.sessionId));
    },
  };
}
