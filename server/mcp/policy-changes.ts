import type { ConnectionsService } from '../connections/connections.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Consent } from './consent.ts';
import type { McpCallKey, McpPolicy, McpToolKey } from './mcp-decisions.store.ts';
import { type OfferedTool, selects, type ToolSelection } from './named-tools.ts';

/** Policies that a person sets for many clients and connections at once. */
export function createPolicyChanges({
  connections,
  integrations,
  listOffered,
  permissions,
}: {
  connections: Pick<ConnectionsService, 'listOfIntegration'>;
  integrations: Pick<IntegrationsService, 'find'>;
  permissions: Consent;
  listOffered: (environmentId: number) => Promise<OfferedTool[]>;
}) {
  /** Whether the policy replaces a decision about a program, for tools that are no actions. */
  async function takesBack({ id }: Environment, selection: ToolSelection, policy: McpPolicy): Promise<boolean> {
    if (policy === 'allow' || selection.apiKeyId !== undefined) return false;
    const decided = await permissions.policies.listOfPrograms(id);
    return decided.some((one) => selects(selection, { ...one, apiKeyId: null }));
  }

  async function findKeys(
    environment: Environment,
    { apiKeyIds, tool, connectionId }: ToolSelection,
    offered: readonly OfferedTool[],
  ): Promise<McpToolKey[]> {
    const found = await Promise.all(
      offered.map(async (one) => {
        const integration = await integrations.find(environment.id, one.integrationKey);
        const all = integration ? await connections.listOfIntegration(integration.id) : [];
        return all.map((connection) => ({ ...connection, fingerprint: one.tool.fingerprint }));
      }),
    );
    return found
      .flat()
      .filter((one) => connectionId === undefined || one.connectionId === connectionId)
      .flatMap(({ id, fingerprint }) =>
        apiKeyIds.map((apiKeyId) => ({ apiKeyId, connectionRowId: id, tool, fingerprint })),
      );
  }

  /**
   * Sets the policy of one tool for many clients and connections; also answers waiting calls. Resolves to the
   * number of changed policies, and whether a rule for later connections or keys was stored. Throws `not_found` when the
   * selection is empty.
   */
  return async function changePolicies(
    environment: Environment,
    selection: ToolSelection,
    policy: McpPolicy,
  ): Promise<{ changed: number; holdsForLater: boolean }> {
    const { apiKeyId, connectionId, integrationKey, tool } = selection;
    const offered = (await listOffered(environment.id)).filter(
      (one) => one.tool.name === tool && (integrationKey === undefined || one.integrationKey === integrationKey),
    );
    // Agent sessions also have tools that are no actions.
    const asked = permissions.approvals.waiting(environment.id).filter(({ key }) => selects(selection, key));
    const keys = await findKeys(environment, selection, offered);
    const holdsForLater = apiKeyId === undefined || connectionId === undefined;
    const isLaterMeant = connectionId === undefined && offered.length > 0;
    if (keys.length + asked.length === 0 && !isLaterMeant && !(await takesBack(environment, selection, policy))) {
      throw new HomeportError('not_found', `No client can call a tool "${tool}" of such a connection.`);
    }
    const fingerprints = Object.fromEntries([
      ...asked.map(({ key }) => [key.integrationKey, key.fingerprint]),
      ...offered.map((one) => [one.integrationKey, one.tool.fingerprint]),
    ]);
    const rule = { environmentId: environment.id, apiKeyId, integrationKey, connectionId, tool, fingerprints };
    await permissions.policies.changeAll(keys, policy, holdsForLater ? rule : undefined);
    const isMeant = (key: McpCallKey): boolean =>
      key.environmentId === environment.id &&
      selects(selection, key) &&
      (policy === 'deny' || fingerprints[key.integrationKey] === key.fingerprint);
    if (policy !== 'ask') permissions.answerAll(isMeant, policy === 'allow' ? 'allow-always' : 'deny-always');
    return { changed: keys.length, holdsForLater };
  };
}
