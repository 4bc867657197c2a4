import type { EndUserCopy } from '../connections/connection.ts';
import type { DeviceCode, IssuedCredentials } from '../connections/credentials/credentials.service.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { SessionsOfPerson } from './connect-session.ts';
import { OAuthStatesStore } from './oauth-states.store.ts';

/** The part of a connect session that an authorization stores: the session may end before the provider's callback. */
export interface FlowSession {
  /** Identifies the session. */
  lookupHash: string;
  endUser?: EndUserCopy | undefined;
  tags?: Record<string, string> | undefined;
  webhookUrlOverride?: string | undefined;
  isReconnecting: boolean;
}

/** An authorization in progress at the provider: everything that the callback needs (auth-and-connect.md 3.1). */
export interface FlowState {
  environmentId: number;
  integrationKey: string;
  provider: string;
  authMode: string;
  connectionId: string;
  /** The callback address, which later requests must repeat exactly. */
  callbackUrl: string;
  codeVerifier?: string | undefined;
  /** OAuth 1: secret of the temporary token. */
  requestTokenSecret?: string | undefined;
  connectionConfig: Record<string, unknown>;
  session: FlowSession;
  /** Socket of the waiting page. */
  wsClientId?: string | undefined;
  operationId: string;
  /** A sign-in with a code: what the provider gave, and when the code ends. */
  device?: DeviceState | undefined;
  /** What the provider gave already: it takes the same code once, and the hub could not store the connection then. */
  issued?: IssuedCredentials | undefined;
}

export type DeviceState = Omit<DeviceCode, 'lifetimeS'> & { expiresAt: number };

/** An authorization that takes longer must be started again. */
export const FLOW_LIFETIME_MS = 3_600_000;

export type FlowStates = ReturnType<typeof createFlowStates>;

/** States of authorizations, each valid for one callback. */
export function createFlowStates({
  database,
  vault,
  clock,
  ids,
}: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
}) {
  const states = new OAuthStatesStore();

  /** Also while the vault is locked. */
  async function save(id: string, state: FlowState): Promise<void> {
    const createdAt = clock.now();
    const content = vault.sealJsonAlways(state, context(id));
    await database.transaction(async (tx) => {
      await states.removeOlderThan(tx, createdAt - FLOW_LIFETIME_MS);
      await states.remove(tx, id);
      await states.insert(tx, { id, environmentId: state.environmentId, content, createdAt });
    });
  }

  /**
   * Removes and returns the state; undefined when it is unknown, used or too old. Throws `vault_locked` while it cannot be
   * opened, and keeps it: the same callback works after the vault was unlocked.
   */
  async function take(id: string): Promise<FlowState | undefined> {
    return database.transaction(async (tx) => {
      const row = await states.find(tx, id);
      if (!row) return undefined;
      const state = vault.openJson<FlowState>(row.content, context(id));
      await states.remove(tx, id);
      return row.createdAt < clock.now() - FLOW_LIFETIME_MS ? undefined : state;
    });
  }

  /** The state, which stays; undefined when it is unknown or used. Throws `vault_locked` while it cannot be opened. */
  async function peek(id: string): Promise<FlowState | undefined> {
    const row = await states.find(database.reader, id);
    return row && vault.openJson<FlowState>(row.content, context(id));
  }

  /** Replaces the state, unless it was removed meanwhile; also while the vault is locked. */
  function update(id: string, state: FlowState): Promise<void> {
    const content = vault.sealJsonAlways(state, context(id));
    return database.transaction((tx) => states.update(tx, { id, content }));
  }

  function remove(id: string): Promise<void> {
    return database.transaction((tx) => states.remove(tx, id));
  }

  /**
   * Removes states that are too old, or renew a connection that was deleted. Resolves to whether an authorization of the
   * person is in progress.
   */
  async function removeOfPerson(of: Omit<SessionsOfPerson, 'listUnfinished'>): Promise<boolean> {
    let hasOpen = false;
    for (const { content, createdAt, id } of await states.listOf(database.reader, of.environmentId)) {
      const state = vault.openJson<FlowState>(content, context(id));
      const isUseless =
        createdAt < clock.now() - FLOW_LIFETIME_MS ||
        (state.session.isReconnecting &&
          state.connectionId === of.connectionId &&
          state.integrationKey === of.integrationKey);
      if (isUseless) await database.transaction((tx) => states.remove(tx, id));
      else if (of.isOfPerson(state)) hasOpen = true;
    }
    return hasOpen;
  }

  return { newId: (): string => ids.uuid(), save, take, peek, update, remove, removeOfPerson };
}

function context(id: string): string {
  return `oauth-state:${id}`;
}
