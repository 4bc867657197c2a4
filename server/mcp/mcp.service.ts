import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import { isNarrower } from '../contract/dashboard/narrower-arguments.ts';
import type { Caller, Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { ActionsService } from '../functions/actions.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { OperationLog } from '../log/operation.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { Vault } from '../platform/vault/vault.ts';
import {
  APPROVAL_TIMEOUT_MS,
  type Approval,
  type ApprovalChange,
  type ApprovalDecision,
  type ApprovalEnd,
  Approvals,
} from './approvals.ts';
import type { McpCallKey, McpPolicy, McpToolKey, NamedMcpDecision, NamedMcpRule } from './mcp-decisions.store.ts';
import { describeTool, type McpTool, toTool } from './mcp-tool.ts';
import type { NamedTool, OfferedTool, ToolRule, ToolSelection } from './named-tools.ts';
import { reportWaiting } from './report-waiting.ts';
import { ToolPolicies, type ToolPoliciesOptions } from './tool-policies.ts';
import type { Toolbox, ToolboxCall, ToolOutcome, ToolResult } from './toolbox.ts';

export type { Approval, ApprovalChange, ApprovalDecision } from './approvals.ts';
export type { McpPolicy, NamedMcpDecision, NamedMcpRule } from './mcp-decisions.store.ts';
export type { McpTool, ToolRisk } from './mcp-tool.ts';
export type { NamedTool, OfferedTool, ToolRule, ToolSelection } from './named-tools.ts';

export interface McpServiceOptions extends ToolPoliciesOptions {
  clock: Clock;
  ids: Ids;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  deployments: DeploymentsService;
  actions: ActionsService;
  log: OperationLog;
  vault: Pick<Vault, 'assertUnlocked'>;
  /** Reports waiting calls in the terminal, for people without the dashboard. */
  logger: Logger;
  events: EventSink<{ approval: ApprovalChange }>;
}

/** A connection and the client that uses it. */
export interface McpContext {
  environment: Environment;
  keyId: number;
  integration: Integration;
  connection: StoredConnection;
}

/** Whether a call may run, why, and with which arguments. */
interface Grant {
  isAllowed: boolean;
  /** By a person, for this call. */
  wasAsked: boolean;
  reason: string;
  arguments: Record<string, unknown>;
}

/** Offers actions as tools: allowed calls run, other calls ask a person or are refused, and all of them are logged. */
export class McpService {
  readonly #options: McpServiceOptions;
  readonly #policies: ToolPolicies;
  readonly #approvals: Approvals;

  constructor(options: McpServiceOptions) {
    const { clock, events, ids, logger } = options;
    this.#options = options;
    this.#policies = new ToolPolicies(options);
    this.#approvals = new Approvals({
      clock,
      ids,
      onChanged: (change) => {
        if (change.end === undefined) reportWaiting(logger, change.approval);
        events.emit('approval', change);
      },
    });
  }

  /** The connection for a client. Throws `unknown_connection`. */
  async open({ environment, keyId }: Caller, integrationKey: string, connectionId: string): Promise<McpContext> {
    const context = await this.#find(environment, integrationKey, connectionId);
    if (context) return { environment, keyId, ...context };
    throw new HomeportError('unknown_connection', `There is no connection "${connectionId}" of this integration.`);
  }

  /** The tools of the connection's integration. */
  async listTools({ environment, integration }: McpContext): Promise<McpTool[]> {
    const all = await this.#options.deployments.list(environment.id, integration.uniqueKey);
    return all.flatMap((one) => toTool(one) ?? []);
  }

  /** The tools of the connection's integration, as one address serves them. */
  toolbox(context: McpContext): Toolbox {
    return {
      listTools: async () => (await this.listTools(context)).map(describeTool),
      callTool: (call) => this.callTool(context, call),
    };
  }

  /**
   * Runs the tool when that is allowed, which may need a person's decision. Undefined for an unknown tool. Throws
   * `forbidden` for a refused call, and what the action failed with.
   */
  async callTool(context: McpContext, call: ToolboxCall): Promise<ToolOutcome | undefined> {
    const { environment, integration, connection } = context;
    const { actions, deployments, log } = this.#options;
    const action = await deployments.findActive(environment.id, integration.uniqueKey, 'action', call.name);
    const tool = action && toTool(action);
    if (!tool) return undefined;
    const clientName = await this.#clientName(context);
    const grant = await this.#decide(context, tool, call, clientName);
    if (!grant.isAllowed) throw this.#refuse(context, tool, clientName, grant.reason);
    if (grant.wasAsked && !(await this.#isUnchanged(context, tool)))
      throw this.#refuse(context, tool, clientName, CHANGED_MEANWHILE);
    const { output } = await actions.trigger({
      environment,
      integrationKey: integration.uniqueKey,
      connectionId: connection.connectionId,
      actionName: tool.name,
      ...(tool.takesInput ? { input: JSON.stringify(grant.arguments) } : {}),
      trigger: 'mcp',
      actor: clientName,
      signal: call.signal,
      onStarted: (id) => log.attach(id).log({ level: 'info', message: `${clientName}: ${grant.reason}` }),
    });
    return resultOf(tool, output);
  }

  listApprovals(environmentId: number): Approval[] {
    return this.#approvals.list(environmentId);
  }

  /**
   * Answers a waiting call and returns it. A lasting decision is stored before the call continues. `narrowed` applies to
   * this call only. Throws `not_found`, `vault_locked` for a permission, and `invalid_body` when `narrowed` contains more than the client's arguments.
   */
  async decide(
    environmentId: number,
    approvalId: string,
    decision: ApprovalDecision,
    narrowed?: Record<string, unknown>,
  ): Promise<Approval> {
    const { approval, key } = this.#approvals.get(environmentId, approvalId);
    if (narrowed !== undefined && !isNarrower(narrowed, approval.arguments))
      throw new HomeportError('invalid_body', 'Arguments may only be narrowed: leave members out, or items of lists.');
    // The call would fail at once, and its question would be gone.
    if (!decision.startsWith('deny')) this.#options.vault.assertUnlocked();
    await this.#policies.remember(key, decision);
    this.#approvals.settle(approvalId, decision, narrowed);
    return approval;
  }

  listDecisions(environmentId: number): Promise<NamedMcpDecision[]> {
    return this.#policies.list(environmentId);
  }

  /** Policies that also hold for connections and keys that come later. */
  listStandingRules(environmentId: number): Promise<NamedMcpRule[]> {
    return this.#policies.listRules(environmentId);
  }

  /** Sets in advance what a client may do; null removes the decision. Throws `not_found`. */
  async changeDecision(environment: Environment, named: NamedTool, policy: McpPolicy | null): Promise<void> {
    const context = await this.#findNamed(environment, named);
    const tool = (await this.listTools(context)).find(({ name }) => name === named.tool);
    await this.#policies.change(keyOf(context, { name: named.tool, fingerprint: tool?.fingerprint ?? '' }), policy);
  }

  /**
   * As `changeDecision`, for one tool of many clients and connections; also answers waiting calls. Resolves to the
   * number of changed policies, and whether a rule for later connections or keys was stored. Throws `not_found` when the
   * selection is empty.
   */
  async changePolicies(
    environment: Environment,
    selection: ToolSelection,
    policy: McpPolicy,
  ): Promise<{ changed: number; holdsForLater: boolean }> {
    const { apiKeyId, connectionId, integrationKey, tool } = selection;
    const offered = (await this.listOffered(environment.id)).filter(
      (one) => one.tool.name === tool && (integrationKey === undefined || one.integrationKey === integrationKey),
    );
    const keys = await this.#findKeys(environment, selection, offered);
    const holdsForLater = apiKeyId === undefined || connectionId === undefined;
    if (keys.length === 0 && !(connectionId === undefined && offered.length > 0)) {
      throw new HomeportError('not_found', `No client can call a tool "${tool}" of such a connection.`);
    }
    const fingerprints = Object.fromEntries(offered.map((one) => [one.integrationKey, one.tool.fingerprint]));
    const rule = { environmentId: environment.id, apiKeyId, integrationKey, connectionId, tool, fingerprints };
    await this.#policies.changeAll(keys, policy, holdsForLater ? rule : undefined);
    if (policy !== 'ask') this.#approvals.settleAll(keys, policy === 'allow' ? 'allow-always' : 'deny-always');
    return { changed: keys.length, holdsForLater };
  }

  /** Tools of every integration. */
  async listOffered(environmentId: number): Promise<OfferedTool[]> {
    const all = await this.#options.deployments.list(environmentId);
    return all.flatMap((one) => {
      const tool = toTool(one);
      return tool
        ? [{ integrationKey: one.integrationKey, tool, defaultPolicy: this.#policies.defaultOf(tool.risk) }]
        : [];
    });
  }

  /** All tools of a connection, with what a client may do. Throws `not_found`. */
  async listRules(environment: Environment, named: Omit<NamedTool, 'tool'>): Promise<ToolRule[]> {
    const context = await this.#findNamed(environment, named);
    const [tools, decisions] = await Promise.all([this.listTools(context), this.listDecisions(environment.id)]);
    const ownDecisions = decisions.filter(
      (one) =>
        one.apiKeyId === named.apiKeyId &&
        one.integrationKey === named.integrationKey &&
        one.connectionId === named.connectionId,
    );
    return Promise.all(
      tools.map(async (tool) => ({
        tool,
        decision: ownDecisions.find((one) => one.tool === tool.name),
        effective: await this.#policies.find(keyOf(context, tool), tool.risk),
      })),
    );
  }

  /** Call it before the HTTP server stops, so that waiting callers get a response. */
  stop(): void {
    this.#approvals.stop();
  }

  async #decide(
    context: McpContext,
    tool: McpTool,
    { arguments: given, signal }: ToolboxCall,
    clientName: string,
  ): Promise<Grant> {
    const key = keyOf(context, tool);
    const policy = await this.#policies.find(key, tool.risk);
    const direct = { wasAsked: false, arguments: given };
    if (policy === 'allow') return { ...direct, isAllowed: true, reason: 'allowed without asking' };
    if (policy === 'deny') return { ...direct, isAllowed: false, reason: 'The user has denied this tool' };
    const { end, arguments: granted } = await this.#approvals.request(
      {
        environmentId: context.environment.id,
        clientName,
        integrationKey: context.integration.uniqueKey,
        connectionId: context.connection.connectionId,
        tool: tool.name,
        risk: tool.risk,
        arguments: tool.takesInput ? given : {},
      },
      key,
      signal,
    );
    const isNarrowed = JSON.stringify(granted) !== JSON.stringify(tool.takesInput ? given : {});
    return {
      wasAsked: true,
      isAllowed: end.startsWith('allow'),
      reason: isNarrowed ? `${REASONS[end]}, with narrower arguments` : REASONS[end],
      arguments: granted,
    };
  }

  /** Whether the client, the connection and the tool are still those about which the user was asked. */
  async #isUnchanged({ environment, keyId, integration, connection }: McpContext, tool: McpTool): Promise<boolean> {
    const { deployments, environments } = this.#options;
    const [keys, found, action] = await Promise.all([
      environments.keys.list(environment.id),
      this.#find(environment, integration.uniqueKey, connection.connectionId),
      deployments.findActive(environment.id, integration.uniqueKey, 'action', tool.name),
    ]);
    return (
      keys.some(({ id }) => id === keyId) &&
      found?.connection.id === connection.id &&
      (action && toTool(action))?.fingerprint === tool.fingerprint
    );
  }

  /** Refuses a call and logs it as a call that did not run. */
  #refuse(
    { environment, integration, connection }: McpContext,
    tool: McpTool,
    clientName: string,
    reason: string,
  ): HomeportError {
    const operation = this.#options.log.start({
      environmentId: environment.id,
      type: 'action',
      action: 'run',
      message: `Action ${tool.name}`,
      integrationKey: integration.uniqueKey,
      providerName: integration.provider,
      connectionId: connection.connectionId,
      functionName: tool.name,
      trigger: 'mcp',
      actor: clientName,
    });
    // The messages name the client, as they do for calls that ran.
    operation.log({ level: 'info', message: `${clientName}: ${reason}` });
    operation.finish('cancelled', { error: { message: `${reason}.`, type: 'forbidden' } });
    return new HomeportError(
      'forbidden',
      `${reason}. Nothing was done. People allow it in the dashboard of the hub: when it asks, or on its page MCP, where "${tool.name}" is listed under Tools.`,
    );
  }

  async #findKeys(
    environment: Environment,
    { apiKeyIds, tool, connectionId }: ToolSelection,
    offered: readonly OfferedTool[],
  ): Promise<McpToolKey[]> {
    const { connections, integrations } = this.#options;
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

  async #clientName({ environment, keyId }: McpContext): Promise<string> {
    const keys = await this.#options.environments.keys.list(environment.id);
    return keys.find(({ id }) => id === keyId)?.displayName ?? 'a revoked key';
  }

  async #findNamed(environment: Environment, named: Omit<NamedTool, 'tool'>): Promise<McpContext> {
    const context = await this.#find(environment, named.integrationKey, named.connectionId);
    const keys = await this.#options.environments.keys.list(environment.id);
    if (!context || !keys.some(({ id }) => id === named.apiKeyId)) {
      throw new HomeportError('not_found', 'There is no such client or connection.');
    }
    return { environment, keyId: named.apiKeyId, ...context };
  }

  async #find(
    environment: Environment,
    integrationKey: string,
    connectionId: string,
  ): Promise<Pick<McpContext, 'integration' | 'connection'> | undefined> {
    const { connections, integrations } = this.#options;
    const integration = await integrations.find(environment.id, integrationKey);
    const connection = integration && (await connections.find(integration, connectionId));
    return connection && { integration, connection };
  }
}

function resultOf({ outputSchema }: McpTool, output: string): ToolResult {
  const value: unknown = JSON.parse(output);
  const content: ToolResult['content'] = [{ type: 'text', text: JSON.stringify(value, null, 2) }];
  return outputSchema && isJsonObject(value) ? { content, structuredContent: value } : { content };
}

const CHANGED_MEANWHILE = 'The tool, the connection or the key was changed while the user was asked';

const REASONS: Record<ApprovalEnd, string> = {
  'allow-once': 'allowed once by the user',
  'allow-session': 'allowed by the user until the hub stops',
  'allow-always': 'allowed by the user for good',
  deny: 'The user has denied the call',
  'deny-always': 'The user has denied this tool',
  expired: `The user did not answer within ${APPROVAL_TIMEOUT_MS / 1000} s`,
  withdrawn: 'The call was withdrawn before the user answered',
};

function keyOf(
  { environment, keyId, integration, connection }: McpContext,
  { name, fingerprint }: Pick<McpTool, 'name' | 'fingerprint'>,
): McpCallKey {
  return {
    environmentId: environment.id,
    apiKeyId: keyId,
    integrationKey: integration.uniqueKey,
    connectionId: connection.connectionId,
    connectionRowId: connection.id,
    tool: name,
    fingerprint,
  };
}
