import type { ConnectionsService } from '../connections/connections.service.ts';
import type { AuditService } from '../environments/audit.service.ts';
import type { Caller, Environment, EnvironmentService } from '../environments/environment.service.ts';
import { type ActionsService, toPreview, type WritePreview } from '../functions/actions.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { LimitsService } from '../limits/limits.service.ts';
import type { OperationLog } from '../log/operation.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { oncePerMinute } from '../platform/lib/once-per-minute.ts';
import type { SeenTime } from '../platform/scheduler/seen-time.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { QueriesService } from '../queries/queries.service.ts';
import type { Approval, ApprovalChange, ApprovalDecision } from './approvals.ts';
import { checkArguments } from './check-input.ts';
import { outputResult } from './check-output.ts';
import { type AskedCall, type CallGrant, Consent } from './consent.ts';
import { createKnownTools } from './known-tools.ts';
import { type ConsentTool, callKeyOf, type McpContext, type ToolClient } from './mcp-context.ts';
import type {
  McpPolicy,
  NamedMcpDecision,
  NamedMcpRule,
  NamedProgramDecision,
  ProgramDecisionName,
} from './mcp-decisions.store.ts';
import { describeTool, type McpTool, toTool } from './mcp-tool.ts';
import type { NamedTool, OfferedTool, ToolRule } from './named-tools.ts';
import { createPolicyChanges } from './policy-changes.ts';
import { createQueryRecords, QUERY_RECORDS, QUERY_RECORDS_TOOL } from './query-records.ts';
import { isLimitRefusal, logRefusedCall, refuseCall } from './refuse-call.ts';
import { reportWaiting } from './report-waiting.ts';
import type { OpenQuestion, Toolbox, ToolboxCall, ToolOutcome } from './toolbox.ts';
import { createUntrustedContent, UNTRUSTED_OUTPUT } from './untrusted-content.ts';
import type { WithholdSecrets } from './withhold-secrets.ts';
import { createWrittenCalls } from './written-calls.ts';

export type { Approval, ApprovalChange, ApprovalDecision } from './approvals.ts';
export { checkArguments, readInput } from './check-input.ts';
export type { ConsentTool, McpContext, ToolClient } from './mcp-context.ts';
export type { McpPolicy, NamedMcpDecision, NamedMcpRule, NamedProgramDecision } from './mcp-decisions.store.ts';
export { describeTool, type McpTool, type ToolRisk } from './mcp-tool.ts';
export type { NamedTool, OfferedTool, ToolRule, ToolSelection } from './named-tools.ts';
export { QUERY_RECORDS_TOOL } from './query-records.ts';
export { UNTRUSTED_OUTPUT, type UntrustedContentMode, type UntrustedRead } from './untrusted-content.ts';
export type { ShownCall } from './written-calls.ts';

export type McpService = ReturnType<typeof createMcpService>;

/** Offers actions as tools: allowed calls run, other calls ask a person or are refused, and all of them are logged. */
export function createMcpService(use: {
  database: Database;
  clock: Clock;
  ids: Ids;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  deployments: DeploymentsService;
  actions: ActionsService;
  limits: Pick<LimitsService, 'admit' | 'repeatsOf'>;
  log: OperationLog;
  vault: Pick<Vault, 'assertUnlocked' | 'openJson' | 'sealJson'>;
  /** Also for tools that are no actions; `callTool` does it by itself. */
  withholdSecrets: WithholdSecrets;
  audit: Pick<AuditService, 'record'>;
  /** Reports waiting calls in the terminal, for people without the dashboard. */
  logger: Logger;
  seenTime: Pick<SeenTime, 'isDoubtful'>;
  events: EventSink<{ approval: ApprovalChange }>;
  /** For tools without a decision. */
  defaultPolicy: McpPolicy;
  catalog: CatalogLookup;
  queries: Pick<QueriesService, 'query' | 'listViews'>;
}) {
  const { actions, connections, deployments, environments, integrations, limits, log, withholdSecrets } = use;
  const untrusted = createUntrustedContent({ catalog: use.catalog, clock: use.clock, database: use.database });
  const writes = createWrittenCalls({
    actions,
    clock: use.clock,
    database: use.database,
    deployments,
    findConnection: find,
    limits,
    log,
    logger: use.logger,
    seenTime: use.seenTime,
    vault: use.vault,
    withholdSecrets,
  });
  const permissions = new Consent({
    limits,
    database: use.database,
    clock: use.clock,
    ids: use.ids,
    vault: use.vault,
    audit: use.audit,
    logger: use.logger,
    defaultPolicy: use.defaultPolicy,
    onChanged: (change) => {
      if (change.end === undefined) reportWaiting(use.logger, change.approval);
      use.events.emit('approval', change);
    },
  });

  /** An agent in a loop must not fill the log. */
  const isFirstRefusal = oncePerMinute(use.clock);

  /** The connection for a client. Throws `unknown_connection`. */
  async function open(
    { environment, keyId }: Caller,
    integrationKey: string,
    connectionId: string,
  ): Promise<McpContext> {
    const context = await find(environment, integrationKey, connectionId);
    if (context) return { environment, client: await clientOf(environment, keyId), ...context };
    throw new HomeportError('unknown_connection', `There is no connection "${connectionId}" of this integration.`);
  }

  const toolsOf = createKnownTools(deployments);

  /** The tools of the connection's integration. */
  const listTools = ({ environment, integration }: McpContext): Promise<readonly McpTool[]> =>
    toolsOf(environment.id, integration.uniqueKey);

  const records = createQueryRecords({ consent, log, queries: use.queries, untrusted, withholdSecrets });

  /** The tools of the connection's integration, as one address serves them. */
  function toolbox(context: McpContext, { canQuery }: { canQuery: boolean }): Toolbox {
    return {
      listTools: async () => [
        ...(await listTools(context)).map(describeTool),
        ...(canQuery ? [QUERY_RECORDS_TOOL] : []),
      ],
      callTool: async (call) => {
        try {
          await limits.admit({ ...limitedBy(context), kind: 'read', counts: 'call' });
          const isQuery = canQuery && call.name === QUERY_RECORDS;
          return isQuery ? await records.queryOfKey(context, call) : await callTool(context, call);
        } catch (error) {
          if (isLimitRefusal(error) && isFirstRefusal(`key ${context.client.keyId}`))
            logRefusedCall(log, context, call.name, { error: { message: error.message, type: error.code } });
          throw error;
        }
      },
    };
  }

  /**
   * Runs the tool when that is allowed, which may need a person's decision. Undefined for an unknown tool. Throws
   * `forbidden` for a refused call, `invalid_action_input` before anybody is asked, and what the action failed with.
   */
  async function callTool(
    context: McpContext,
    call: ToolboxCall & Pick<AskedCall, 'mustAsk'>,
  ): Promise<ToolOutcome | undefined> {
    const { environment, integration, connection } = context;
    const action = await deployments.findActive(environment.id, integration.uniqueKey, 'action', call.name);
    const tool = action && toTool(action);
    if (!tool) return undefined;
    const given = tool.takesInput ? call.arguments : {};
    checkArguments(tool, given);
    const input = JSON.stringify(given);
    const trial = {
      environment,
      integration,
      connection,
      action,
      input,
      actor: context.client.name,
      signal: call.signal,
    };
    const preview = previewed(context, () => actions.trials.ofAction(trial));
    const grant = await consent(context, tool, { ...call, arguments: given, preview });
    if ('questionId' in grant) return grant;
    if (grant.wasAsked && !(await isUnchanged(context, tool))) throw refuseCall(log, context, tool, CHANGED_MEANWHILE);
    const isUntrusted = await untrusted.note(context, { ...tool, kind: 'action' });
    const written = writes.open(context, { tool, action, input: JSON.stringify(grant.arguments) });
    const run = () =>
      actions.trigger({
        environment,
        integrationKey: integration.uniqueKey,
        connectionId: connection.connectionId,
        actionName: tool.name,
        ...(tool.takesInput ? { input: JSON.stringify(grant.arguments) } : {}),
        trigger: 'mcp',
        actor: context.client.name,
        sessionId: context.client.sessionId ?? undefined,
        subjects: context.client.subjects,
        signal: call.signal,
        writes: written.notes,
        onStarted: (id) => {
          written.operationId = id;
          const operation = log.attach(id);
          operation.log({ level: 'info', message: `${context.client.name}: ${grant.reason}` });
          if (isUntrusted) operation.log({ level: 'info', message: UNTRUSTED_OUTPUT });
        },
      });
    return withholdSecrets(context, async (clean) => outputResult(tool, await written.follow(run, clean)));
  }

  /**
   * Permission for a call, which `callTool` asks for by itself: for tools that are no actions. A question goes back to a
   * client that repeats the call with the answer. Throws `forbidden`, and `call_limit_reached` before anybody is asked.
   */
  async function consent(
    context: McpContext,
    tool: ConsentTool,
    call: Pick<AskedCall, 'arguments' | 'asking' | 'mustAsk' | 'preview' | 'signal'>,
  ): Promise<CallGrant | OpenQuestion> {
    const { arguments: given, asking, preview, signal } = call;
    const isWrite = tool.isWrite ?? tool.risk !== 'read';
    const mustAsk = [...(call.mustAsk ?? []), ...(isWrite ? await untrusted.reasons(context.client) : [])];
    const limited = limitedBy(context);
    const { hasPolicy, risk } = tool;
    const asked = { key: callKeyOf(context, tool), clientName: context.client.name, risk, isWrite, hasPolicy, limited };
    const grant = await permissions.decide({ ...asked, arguments: given, asking, mustAsk, preview, signal });
    if ('questionId' in grant || grant.isAllowed) return grant;
    throw refuseCall(log, context, tool, grant.reason, grant.advice);
  }

  /** A preview without secrets. It never rejects: without one the question is asked all the same. */
  const previewed = (context: McpContext, work: () => Promise<WritePreview>) => async (): Promise<WritePreview> => {
    try {
      return await withholdSecrets(context, work);
    } catch (error) {
      const problem = error instanceof HomeportError ? error.message : 'The trial failed; the log has the reason.';
      if (!(error instanceof HomeportError)) use.logger.error({ err: error }, 'a preview failed');
      return toPreview([], problem);
    }
  };

  /** Asks a person about an act that is no call of a tool: what they say holds for this act. */
  async function ask(
    context: McpContext,
    act: ConsentTool,
    { arguments: shown, reason, signal }: { arguments: Record<string, unknown>; reason: string; signal: AbortSignal },
  ): Promise<CallGrant> {
    const grant = await permissions.decide({
      key: callKeyOf(context, act),
      clientName: context.client.name,
      risk: act.risk,
      isWrite: false,
      limited: limitedBy(context),
      arguments: shown,
      asking: { kind: 'none' },
      mustAsk: [reason],
      signal,
    });
    if ('questionId' in grant) throw new Error('This question waits for its answer.');
    return grant;
  }

  /** Sets in advance what a client may do; null removes the decision. Throws `not_found`. */
  async function changeDecision(environment: Environment, named: NamedTool, policy: McpPolicy | null): Promise<void> {
    const context = await findNamed(environment, named);
    const tool = (await listTools(context)).find(({ name }) => name === named.tool);
    const key = callKeyOf(context, { name: named.tool, fingerprint: tool?.fingerprint ?? '' });
    await permissions.policies.change({ ...key, apiKeyId: named.apiKeyId }, policy);
  }

  /** Tools of every integration. */
  async function listOffered(environmentId: number): Promise<OfferedTool[]> {
    const all = await deployments.list(environmentId);
    return all.flatMap((one) => {
      const tool = toTool(one);
      return tool
        ? [{ integrationKey: one.integrationKey, tool, defaultPolicy: permissions.policies.defaultOf(tool.risk) }]
        : [];
    });
  }

  /** All tools of a connection, with what a client may do. Throws `not_found`. */
  async function listRules(environment: Environment, named: Omit<NamedTool, 'tool'>): Promise<ToolRule[]> {
    const context = await findNamed(environment, named);
    const [tools, decisions] = await Promise.all([listTools(context), permissions.policies.list(environment.id)]);
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
        effective: (await permissions.policies.find(callKeyOf(context, tool), tool.risk)).policy,
      })),
    );
  }

  /** Whether the client, the connection and the tool are still those about which the user was asked. */
  async function isUnchanged(
    { environment, client, integration, connection }: McpContext,
    tool: McpTool,
  ): Promise<boolean> {
    const [keys, found, action] = await Promise.all([
      environments.keys.list(environment.id),
      find(environment, integration.uniqueKey, connection.connectionId),
      deployments.findActive(environment.id, integration.uniqueKey, 'action', tool.name),
    ]);
    return (
      (client.keyId === null || keys.some(({ id }) => id === client.keyId)) &&
      found?.connection.id === connection.id &&
      (action && toTool(action))?.fingerprint === tool.fingerprint
    );
  }

  async function clientOf({ id: environmentId }: Environment, keyId: number): Promise<ToolClient> {
    const keys = await environments.keys.list(environmentId);
    const name = keys.find(({ id }) => id === keyId)?.displayName ?? 'a revoked key';
    return { keyId, program: null, sessionId: null, name, subjects: [{ kind: 'key', id: String(keyId) }] };
  }

  async function findNamed(environment: Environment, named: Omit<NamedTool, 'tool'>): Promise<McpContext> {
    const context = await find(environment, named.integrationKey, named.connectionId);
    const keys = await environments.keys.list(environment.id);
    if (!context || !keys.some(({ id }) => id === named.apiKeyId)) {
      throw new HomeportError('not_found', 'There is no such client or connection.');
    }
    return { environment, client: await clientOf(environment, named.apiKeyId), ...context };
  }

  async function find(
    environment: Environment,
    integrationKey: string,
    connectionId: string,
  ): Promise<Pick<McpContext, 'integration' | 'connection'> | undefined> {
    const integration = await integrations.find(environment.id, integrationKey);
    const connection = integration && (await connections.find(integration, connectionId));
    return connection && { integration, connection };
  }

  return {
    withholdSecrets,
    /** For tools that are no actions; `callTool` does it by itself. */
    noteUntrusted: untrusted.note,
    /** What a request would change, for `consent`. */
    previewRequest: (context: McpContext, request: { method: string; path: string; body: unknown }) =>
      previewed(context, () => actions.trials.ofRequest(context, request)),
    /** Tools that returned text by strangers, by session. */
    listUntrusted: untrusted.listOfSessions,
    /** What clients changed, and how a person takes it back. */
    writes,
    open,
    listTools,
    toolsOf,
    toolbox,
    /** Of the tool `homeport_query_records`, over all connections that the caller may read. */
    queryRecords: records.query,
    callTool,
    consent,
    ask,
    changeDecision,
    changePolicies: createPolicyChanges({ connections, integrations, permissions, listOffered }),
    listOffered,
    listRules,
    listApprovals: (environmentId: number): Approval[] => permissions.approvals.list(environmentId),
    listDecisions: (environmentId: number): Promise<NamedMcpDecision[]> => permissions.policies.list(environmentId),
    /** Decisions about programs of agent sessions, and about single sessions. */
    listProgramDecisions: (environmentId: number): Promise<NamedProgramDecision[]> =>
      permissions.policies.listOfPrograms(environmentId),
    /** Removes a decision about a program or a session. Throws `not_found`. */
    takeBackDecision: async ({ id }: Environment, named: ProgramDecisionName): Promise<void> => {
      if (!(await permissions.policies.takeBack(id, named)))
        throw new HomeportError('not_found', 'There is no such decision any more.');
    },
    /** Policies that also hold for connections and keys that come later. */
    listStandingRules: (environmentId: number): Promise<NamedMcpRule[]> =>
      permissions.policies.listRules(environmentId),

    /** Answers a waiting call and returns it. Throws as `Consent.answer`. */
    decide: (
      environmentId: number,
      approvalId: string,
      decision: ApprovalDecision,
      narrowed?: Record<string, unknown>,
    ): Promise<Approval> => permissions.answer(environmentId, approvalId, decision, narrowed),

    /** Withdraws the questions of an agent session, and forgets what was allowed for it. */
    endSession: (sessionId: string): Promise<void> => permissions.endSession(sessionId),

    /** Call it before the HTTP server stops, so that waiting callers get a response. */
    stop: async (): Promise<void> => {
      permissions.approvals.stop();
      await writes.stop();
    },
  };
}

const CHANGED_MEANWHILE = 'The tool, the connection or the key was changed while the user was asked';

const limitedBy = ({ client: { subjects }, environment }: McpContext) => ({ environmentId: environment.id, subjects });
