import {
  type AllowedConnections,
  allowsConnection,
  allowsIntegration,
} from '../environments/allowed-connections.contract.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { McpService } from '../mcp/mcp.service.ts';
import type { Database } from '../platform/database/database.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { AgentScope } from './agent-session.ts';
import { type CreateAgentSessionBody, META_TOOLS, type MetaTool } from './agent-sessions.contract.ts';
import type { AgentSessionsStore, SessionMaker, TenantConnection } from './agent-sessions.store.ts';
import { checkIntegrations, checkTools, policyOf } from './compile-toolset.ts';
import type { RemoteTools } from './remote-tools.ts';
import { listed, resolveTenant } from './resolve-tenant.ts';
import { type SessionTool, toolsOf } from './session-tools.ts';

/** Who makes a session, and which connections it may give to it. */
export interface SessionOwner {
  environment: Environment;
  madeBy: SessionMaker;
  keyId: number | null;
  allowed: AllowedConnections;
  /** Name that a person or a program gives to the session. */
  name?: string;
}

export type ScopeResolver = ReturnType<typeof createScopeResolver>;

/** Returns a function that says what a new session may do, and its tools. It throws the errors of agents.md 2. */
export function createScopeResolver({
  agentSessionsStore,
  database,
  deployments,
  integrations,
  mcp,
  remoteTools,
}: {
  agentSessionsStore: AgentSessionsStore;
  database: Pick<Database, 'reader'>;
  deployments: DeploymentsService;
  integrations: IntegrationsService;
  mcp: Pick<McpService, 'listOffered'>;
  remoteTools: RemoteTools;
}) {
  async function resolveScope(
    owner: SessionOwner,
    body: CreateAgentSessionBody,
  ): Promise<{ scope: AgentScope; tools: SessionTool[] }> {
    const { allowed, environment } = owner;
    const metaTools = metaToolsOf(body.meta_tools);
    const all = (await integrations.list(environment.id)).filter(
      ({ uniqueKey }) => allowed === null || allowsIntegration(allowed, uniqueKey),
    );
    const byKey = new Map(all.map((one) => [one.uniqueKey, one]));
    const known = new Set(byKey.keys());
    checkIntegrations(body, known);
    const { toolset } = body;
    const wanted = toolset === undefined ? undefined : new Set(toolset === '*' ? known : Object.keys(toolset));
    const connected = await resolveConnections(owner, body, known, wanted);
    const keys = [...(wanted ?? connected.keys())].filter((key) => byKey.has(key)).sort();
    const policies = new Map(keys.map((key) => [key, policyOf(body, key)]));
    const present = keys.map((key) => ({
      integration: byKey.get(key) as Integration,
      connectionRowId: connected.get(key)?.id ?? null,
    }));
    const [actions, remote, functions] = await Promise.all([
      mcp.listOffered(environment.id),
      remoteTools.listAll(environment, present),
      deployments.list(environment.id),
    ]);
    const offered = [...actions, ...remote.tools];
    const toolsByKey = Map.groupBy(offered, ({ integrationKey }) => integrationKey);
    const functionsByKey = Map.groupBy(functions, ({ integrationKey }) => integrationKey);
    checkTools(body, policies, (key) => {
      // A server that does not answer now cannot say whether the names are right.
      if (remote.unknown.has(key)) return undefined;
      return {
        tools: new Set((toolsByKey.get(key) ?? []).map(({ tool }) => tool.name)),
        others: new Map(
          (functionsByKey.get(key) ?? []).flatMap(({ name, type }) => (type === 'action' ? [] : [[name, type]])),
        ),
      };
    });
    const scope: AgentScope = {
      integrations: [...policies].map(([key, policy]) => {
        const { id, provider } = byKey.get(key) as Integration;
        return { id, key, provider, ...policy, connectionRowId: connected.get(key)?.id ?? null };
      }),
      metaTools,
    };
    return { scope, tools: toolsOf(scope, offered) };
  }

  async function resolveConnections(
    { allowed, environment }: SessionOwner,
    body: CreateAgentSessionBody,
    known: ReadonlySet<string>,
    wanted: ReadonlySet<string> | undefined,
  ): Promise<Map<string, TenantConnection>> {
    const { reader } = database;
    const { any = [], pinned: namedPins = [] } = body.tenant.connections;
    const pins = namedPins.map((pin) => ({ integrationKey: pin.integration_id, connectionId: pin.connection_id }));
    const selectors = any.map(({ tags }) =>
      Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value])),
    );
    const isAllowed = (one: TenantConnection): boolean => allowed === null || allowsConnection(allowed, one);
    const [matches, pinned] = await Promise.all([
      any.length === 0 ? [] : agentSessionsStore.listTenant(reader, environment.id, selectors),
      pins.length === 0 ? [] : agentSessionsStore.listPinned(reader, environment.id, pins),
    ]);
    return resolveTenant({
      known,
      wanted,
      hasSelectors: any.length > 0,
      matches: matches.filter(isAllowed),
      pins,
      pinned: pinned.filter(isAllowed),
    });
  }

  return resolveScope;
}

/** Throws `unknown_meta_tool`. */
function metaToolsOf(wanted: Record<string, boolean> = {}): AgentScope['metaTools'] {
  const unknown = Object.keys(wanted).filter((name) => !Object.hasOwn(META_TOOLS, name));
  if (unknown.length > 0)
    throw new HomeportError(
      'unknown_meta_tool',
      `There is no meta tool ${listed(unknown.map((name) => `"${name}"`))}. There are ${Object.keys(META_TOOLS).join(', ')}.`,
      { payload: { meta_tools: unknown } },
    );
  return { ...META_TOOLS, ...(wanted as Partial<Record<MetaTool, boolean>>) };
}
