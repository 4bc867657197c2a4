import { toPreview } from '../functions/actions.service.ts';
import type { LimitsService } from '../limits/limits.service.ts';
import type { Operation, OperationAction, OperationLog } from '../log/operation.ts';
import {
  checkArguments,
  describeTool,
  type McpContext,
  type McpService,
  readInput,
  UNTRUSTED_OUTPUT,
} from '../mcp/mcp.service.ts';
import type { OpenQuestion, Toolbox, ToolboxCall, ToolOutcome, ToolResult } from '../mcp/toolbox.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { oncePerMinute } from '../platform/lib/once-per-minute.ts';
import type { ProxyService } from '../proxy/proxy.service.ts';
import type { AgentSession } from './agent-session.ts';
import { META_TOOLS, type MetaTool } from './agent-sessions.contract.ts';
import type { AgentSessionsService } from './agent-sessions.service.ts';
import { callProvider, onlyReads } from './call-provider.ts';
import { type ConnectionState, ToolFinder } from './find-tools.ts';
import { LiveCalls } from './live-calls.ts';
import { connectInput, executeInput, proxyInput, searchInput } from './meta-tools.contract.ts';
import { instructionsFor, listMetaTools } from './meta-tools.ts';
import type { RemoteTools } from './remote-tools.ts';
import { identityOf, limitedBy } from './session-caller.ts';
import type { SessionTool } from './session-tools.ts';

/** Makes the link with which a person connects an integration of a session. */
export type CreateLink = (
  session: AgentSession,
  integrationKey: string,
  connectionId: string | undefined,
) => Promise<{ url: string; expiresAt: number }>;

export { limitedBy } from './session-caller.ts';

export type AgentToolsService = ReturnType<typeof createAgentToolsService>;

/** What agents call: the tools and meta tools of their session (agents.md 3 and 4). */
export function createAgentToolsService(use: {
  clock: Clock;
  limits: Pick<LimitsService, 'admit'>;
  log: OperationLog;
  logger: Logger;
  mcp: McpService;
  proxy: ProxyService;
  remoteTools: RemoteTools;
  sessions: AgentSessionsService;
}) {
  const { clock, limits, log, logger, mcp, proxy, remoteTools, sessions } = use;
  const calls = new LiveCalls(clock);
  const finder = new ToolFinder();
  let createLink: CreateLink | undefined;
  /** An agent in a loop must not fill the log. */
  const isFirstRefusal = oncePerMinute(clock);
  sessions.onEnded((id) => {
    calls.end(id);
    mcp
      .endSession(id)
      .catch((error: unknown) =>
        logger.error({ err: error }, 'what was allowed for an agent session could not be removed'),
      );
  });

  const handlers: Record<MetaTool, (session: AgentSession, call: ToolboxCall) => Promise<ToolOutcome>> = {
    nango_tool_search: search,
    nango_execute: execute,
    nango_proxy: callApi,
    nango_create_connection: connect,
    homeport_query_records: queryRecords,
  };

  /** The tools of a session as one address serves them. */
  function toolboxOf(session: AgentSession): Toolbox {
    return {
      instructions: instructionsFor(session),
      listTools: async () => {
        const tools = await sessions.listTools(session);
        const pinned = tools
          .filter(({ isPinned }) => isPinned)
          .map(({ name, tool }) => ({ ...describeTool(tool), name }));
        return [...listMetaTools(session.scope), ...pinned];
      },
      callTool: (call) => calls.follow(session, call.signal, (signal) => callTool(session, { ...call, signal })),
    };
  }

  async function callTool(session: AgentSession, call: ToolboxCall): Promise<ToolOutcome | undefined> {
    await countCall(session, call);
    if (isMetaTool(call.name))
      return session.scope.metaTools[call.name] ? handlers[call.name](session, call) : undefined;
    const tools = await sessions.listTools(session);
    const found = tools.find(({ name }) => name === call.name);
    if (!found) return undefined;
    if (!found.isPinned)
      throw new HomeportError(
        'tool_not_in_toolset',
        session.scope.metaTools.nango_execute
          ? `${call.name} is not in your list of tools. Call it through nango_execute: {"tool": "${call.name}", "input": {…}}.`
          : `${call.name} can be found in this session, but not run.`,
      );
    return run(session, found, call.arguments, call);
  }

  /** Throws when a limit is reached. */
  async function countCall(session: AgentSession, call: ToolboxCall): Promise<void> {
    try {
      await limits.admit({ ...limitedBy(session), kind: 'read', counts: 'call' }, (tx) =>
        sessions.noteCall(tx, session, call.client),
      );
    } catch (error) {
      noteRefusal(session, call, error);
      throw error;
    }
  }

  function noteRefusal(session: AgentSession, call: ToolboxCall, error: unknown): void {
    if (!(error instanceof HomeportError) || !isFirstRefusal(session.id)) return;
    start(session, call, 'limit', `Refused ${call.name}`).finish('cancelled', { error: describeError(error) });
  }

  async function search(session: AgentSession, call: ToolboxCall): Promise<ToolOutcome> {
    const wanted = readInput(searchInput, call.arguments, call.name);
    const operation = start(session, call, 'search', `Search: ${wanted.queries.join(' · ')}`);
    try {
      const question = await askAboutRepeats(session, call);
      if (question) {
        operation.finish('success', { message: 'Asked whether the same search may go on' });
        return question;
      }
      const [tools, states] = await Promise.all([sessions.listTools(session), statesOf(session)]);
      const found = finder.find(session, tools, states, wanted);
      operation.finish('success', {
        meta: { queries: wanted.queries, found: found.results.map(({ matches }) => matches.map(({ tool }) => tool)) },
      });
      return resultOf(found);
    } catch (error) {
      operation.finish(isRefusal(error) ? 'cancelled' : 'failed', { error: describeError(error) });
      throw error;
    }
  }

  /** A question stands beside a connection of the session. Without one there is nothing that a loop could use. */
  async function askAboutRepeats(session: AgentSession, call: ToolboxCall): Promise<OpenQuestion | undefined> {
    for (const { key } of session.scope.integrations) {
      if (!(await sessions.findConnection(session, key))) continue;
      const tool = { name: call.name, risk: 'read', fingerprint: `read ${call.name}`, hasPolicy: false } as const;
      const grant = await mcp.consent(await contextOf(session, key, call), tool, call);
      return 'questionId' in grant ? grant : undefined;
    }
    return undefined;
  }

  async function execute(session: AgentSession, call: ToolboxCall): Promise<ToolOutcome> {
    const { input = {}, tool } = readInput(executeInput, call.arguments, call.name);
    const found = (await sessions.listTools(session)).find(({ name }) => name === tool);
    if (found) return run(session, found, input, call);
    throw new HomeportError(
      'unknown_tool',
      `This session has no tool "${tool}". Use a name as nango_tool_search gives it.`,
    );
  }

  /** Runs a tool of an integration when that is allowed. */
  async function run(
    session: AgentSession,
    found: SessionTool,
    given: Record<string, unknown>,
    call: ToolboxCall,
  ): Promise<ToolOutcome> {
    const { action, integrationKey, name } = found;
    const operation = start(session, call, 'execute', `Call ${name}`, { integrationKey, functionName: action });
    try {
      checkArguments(found.tool, given, name);
      const context = await contextOf(session, integrationKey, call);
      const outcome = found.isRemote
        ? await runRemote(context, found, { ...call, arguments: given }, operation)
        : await mcp.callTool(context, { ...call, name: action, arguments: given });
      if (outcome === undefined) throw new HomeportError('unknown_tool', `The tool "${name}" is gone. Search again.`);
      if ('questionId' in outcome) operation.finish('success', { message: `Asked whether ${name} may run` });
      else operation.finish(outcome.isError ? 'failed' : 'success');
      return outcome;
    } catch (error) {
      operation.finish(isRefusal(error) ? 'cancelled' : 'failed', { error: describeError(error) });
      throw error;
    }
  }

  async function runRemote(
    context: McpContext,
    { action, tool }: SessionTool,
    call: ToolboxCall,
    operation: Operation,
  ): Promise<ToolOutcome> {
    const grant = await mcp.consent(context, { ...tool, name: action }, { ...call, preview: async () => NOT_TRIED });
    if ('questionId' in grant) return grant;
    operation.log({ level: 'info', message: `${context.client.name}: ${grant.reason}` });
    await noteUntrusted(context, { ...tool, name: action, kind: 'remote' }, operation);
    return mcp.withholdSecrets(context, () =>
      remoteTools.call(context, { name: action, arguments: grant.arguments }, { operation, signal: call.signal }),
    );
  }

  /** `nango_proxy`: goes around allow and deny, so it asks like a tool that writes. */
  async function callApi(session: AgentSession, call: ToolboxCall): Promise<ToolOutcome> {
    const wanted = readInput(proxyInput, call.arguments, call.name);
    const { integration: integrationKey } = wanted;
    const title = `${wanted.method} ${wanted.path.split('?', 1)[0]}`;
    const operation = start(session, call, 'proxy', title, { integrationKey });
    try {
      const context = await contextOf(session, integrationKey, call);
      const { method } = wanted;
      await limits.admit({ ...limitedBy(session), kind: 'read', method, counts: 'check' });
      const isWrite = !onlyReads(wanted);
      const tool = { name: call.name, risk: 'write', fingerprint: 'write nango_proxy', isWrite } as const;
      const preview = mcp.previewRequest(context, {
        method,
        path: wanted.path.split('?', 1)[0] ?? '',
        body: wanted.body,
      });
      const grant = await mcp.consent(context, tool, { ...call, arguments: { ...wanted }, preview });
      if ('questionId' in grant) {
        operation.finish('success', { message: `Asked whether ${title} may be sent` });
        return grant;
      }
      operation.log({ level: 'info', message: `${context.client.name}: ${grant.reason}` });
      const request = readInput(proxyInput, grant.arguments, call.name);
      await noteUntrusted(context, { name: call.name, risk: 'write', kind: 'proxy' }, operation);
      const answer = await mcp.withholdSecrets(context, () =>
        callProvider(proxy, {
          request,
          context,
          operation,
          signal: call.signal,
          admit: async (host) => limits.admit({ ...limitedBy(session), kind: 'read', host, counts: 'check' }),
        }),
      );
      operation.finish(answer.status < 400 ? 'success' : 'failed', { meta: { status: answer.status } });
      const { json, ...shown } = answer;
      const { headers, status } = shown;
      // The text keeps the digits of long numbers.
      const text = json && `${JSON.stringify({ status, headers }).slice(0, -1)},"body":${json}}`;
      return resultOf(shown, text);
    } catch (error) {
      operation.finish(isRefusal(error) ? 'cancelled' : 'failed', { error: describeError(error) });
      throw error;
    }
  }

  /** `homeport_query_records`: over the connections that the session has now, and no others. */
  async function queryRecords(session: AgentSession, call: ToolboxCall): Promise<ToolOutcome> {
    const { sql } = call.arguments;
    const title = typeof sql === 'string' ? 'Query records' : 'List views of records';
    const operation = start(session, call, 'query', title);
    try {
      const connected: McpContext[] = [];
      for (const { key } of session.scope.integrations)
        if (await sessions.findConnection(session, key)) connected.push(await contextOf(session, key, call));
      const [first, ...others] = connected;
      if (!first)
        throw new HomeportError(
          'unknown_connection',
          'No integration of this session is connected: there are no records.',
        );
      const { hasUntrusted, outcome, rowCount } = await mcp.queryRecords([first, ...others], call);
      if (hasUntrusted) operation.log({ level: 'info', message: UNTRUSTED_OUTPUT });
      operation.finish('success', { meta: { sql, row_count: rowCount } });
      return outcome;
    } catch (error) {
      operation.finish(isRefusal(error) ? 'cancelled' : 'failed', { error: describeError(error), meta: { sql } });
      throw error;
    }
  }

  async function noteUntrusted(
    context: McpContext,
    called: Parameters<McpService['noteUntrusted']>[1],
    operation: Operation,
  ): Promise<void> {
    if (await mcp.noteUntrusted(context, called)) operation.log({ level: 'info', message: UNTRUSTED_OUTPUT });
  }

  async function connect(session: AgentSession, call: ToolboxCall): Promise<ToolResult> {
    const { integration } = readInput(connectInput, call.arguments, call.name);
    requireIntegration(session, integration);
    if (!createLink) throw new Error('No part of the hub makes links for agent sessions.');
    const operation = start(session, call, 'connect', `Link to connect ${integration}`, {
      integrationKey: integration,
    });
    const { connection } = (await sessions.findConnection(session, integration)) ?? {};
    const { expiresAt, url } = await createLink(session, integration, connection?.connectionId);
    operation.finish('success');
    const expires_at = new Date(expiresAt).toISOString();
    const guidance = `Give the link to the person. It connects "${integration}" ${connection ? 'again' : 'for this session'}; call the tool after that.`;
    return resultOf({ integration, url, expires_at, guidance });
  }

  async function contextOf(session: AgentSession, integrationKey: string, call: ToolboxCall): Promise<McpContext> {
    requireIntegration(session, integrationKey);
    const found = await sessions.findConnection(session, integrationKey);
    if (!found)
      throw new HomeportError(
        'unknown_connection',
        `The integration "${integrationKey}" is not connected in this session. ${
          session.scope.metaTools.nango_create_connection
            ? 'Call nango_create_connection for a link that a person opens.'
            : 'Ask the person to connect it and to create a new session.'
        }`,
      );
    const program = call.client?.name ?? session.name ?? 'an agent';
    const client = {
      keyId: session.apiKeyId,
      program: identityOf(session, program),
      sessionId: session.id,
      name: program,
      subjects: limitedBy(session).subjects,
      untrustedContent: session.untrustedContent,
    };
    return { environment: session.environment, client, ...found };
  }

  async function statesOf(session: AgentSession): Promise<Map<string, ConnectionState>> {
    const states = session.scope.integrations.map(async ({ key }): Promise<[string, ConnectionState]> => {
      const found = await sessions.findConnection(session, key);
      return [key, found ? { status: 'connected', connection_id: found.connection.connectionId } : NOT_CONNECTED];
    });
    return new Map(await Promise.all(states));
  }

  function start(
    session: AgentSession,
    { client }: ToolboxCall,
    action: OperationAction<'agent_session'>,
    message: string,
    about: { integrationKey?: string; functionName?: string } = {},
  ) {
    const { integrationKey } = about;
    const scoped = session.scope.integrations.find(({ key }) => key === integrationKey);
    const actor = client?.name ?? session.name ?? undefined;
    return log.start({
      environmentId: session.environmentId,
      type: 'agent_session',
      action,
      message,
      sessionId: session.id,
      ...about,
      ...(scoped ? { providerName: scoped.provider } : {}),
      ...(actor === undefined ? {} : { actor }),
    });
  }

  return {
    toolboxOf,
    /** Sets what makes links for `nango_create_connection`. */
    connect(parts: { createLink: CreateLink }): void {
      createLink = parts.createLink;
    },
  };
}

const NOT_TRIED = toPreview([], 'A tool of another server cannot be tried without its effect.');

const NOT_CONNECTED: ConnectionState = { status: 'not_connected' };

const isMetaTool = (name: string): name is MetaTool => Object.hasOwn(META_TOOLS, name);

const isRefusal = (error: unknown): boolean =>
  error instanceof HomeportError && ['forbidden', 'call_limit_reached'].includes(error.code);

function requireIntegration({ scope }: AgentSession, key: string): void {
  if (scope.integrations.some((one) => one.key === key)) return;
  throw new HomeportError(
    'unknown_integration',
    `This session has no integration "${key}". It has: ${scope.integrations.map((one) => one.key).join(', ') || 'none'}.`,
  );
}

function describeError(error: unknown): { message: string; type?: string; payload?: unknown } {
  if (!(error instanceof HomeportError)) return { message: UNEXPECTED_ERROR };
  return { message: error.message, type: error.code, payload: error.payload ?? error.issues };
}

/** For a model as text, for programs as data. */
function resultOf(data: object, text = JSON.stringify(data, null, 2)): ToolResult {
  return {
    content: [{ type: 'text', text }],
    structuredContent: data as Record<string, unknown>,
  };
}
