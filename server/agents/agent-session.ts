import type { Environment } from '../environments/environment.service.ts';
import type { MetaTool } from './agent-sessions.contract.ts';
import type { AgentSessionRow } from './agent-sessions.store.ts';

/** What a session may use of one integration. */
export interface ScopedIntegration {
  /** A later integration with the same name has another id, and is not meant. */
  id: number;
  key: string;
  provider: string;
  /** `*` also means tools that come later. */
  allow: '*' | readonly string[];
  deny: readonly string[];
  /** Tools that stand in the list. */
  pinned: readonly string[];
  /** The row of the tenant's connection; null when there was none. A later one with the same name is not meant. */
  connectionRowId: number | null;
}

/** What a session may do; it never changes, except that a person connects an integration through its link. */
export interface AgentScope {
  integrations: readonly ScopedIntegration[];
  metaTools: Readonly<Record<MetaTool, boolean>>;
}

/** What says whether a session is over. */
export type SessionLife = Pick<
  AgentSessionRow,
  'apiKeyId' | 'endedAt' | 'endedReason' | 'environmentId' | 'expiresAt' | 'madeBy'
>;

/** A session that is not over. Its row may be older than the last call, so it has nothing that calls change. */
export interface AgentSession extends Omit<AgentSessionRow, 'calls' | 'clientText' | 'lastUsedAt'> {
  environment: Environment;
  scope: AgentScope;
}

/** Whether the toolset has a tool of the integration. */
export function allowsTool({ allow, deny }: Pick<ScopedIntegration, 'allow' | 'deny'>, tool: string): boolean {
  return (allow === '*' || allow.includes(tool)) && !deny.includes(tool);
}
