import { z } from 'zod';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { AuditService } from '../environments/audit.service.ts';
import type { Caller, EnvironmentService } from '../environments/environment.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { DraftsService } from '../functions/drafts.service.ts';
import type { CatalogReader } from '../integrations/catalog/catalog.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { LimitsService } from '../limits/limits.service.ts';
import type { LogsService } from '../log/logs.service.ts';
import { type McpContext, type McpService, readInput } from '../mcp/mcp.service.ts';
import type { Toolbox, ToolboxCall, ToolDescription, ToolOutcome, ToolResult } from '../mcp/toolbox.ts';
import { isoDate } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { reasonsOf, viewProof, viewWrites } from './build-proof.ts';
import {
  compileInput,
  findProvidersInput,
  listIntegrationsInput,
  onConnectionInput,
  readFunctionInput,
  readLogsInput,
  readProviderInput,
  runInput,
  writeFunctionInput,
} from './build-tools.contract.ts';

interface BuildTool {
  title: string;
  description: string;
  input: z.ZodType;
  readOnly: boolean;
  call(caller: Caller, call: ToolboxCall): Promise<ToolOutcome>;
}

const MAX_PROVIDERS = 20;
const MAX_MESSAGES = 200;
/** Operations of the log that are runs of functions. */
const RUN_TYPES = ['function', 'action', 'sync'];

const INSTRUCTIONS = `Builds functions of this hub and proves them. A draft goes live by deploy only, which asks a person.
1. list_integrations; find_providers and read_provider have the address of the provider's documentation.
2. read_function gives a file to start from, write_function stores the draft.
3. compile until there is no error, also of types.
4. dry_run with a connection: reads are sent, writes are held back. Give answers for the writes.
5. record, then replay.
6. deploy. Each change of the code needs compile, dry_run and replay again.`;

export type BuildToolsService = ReturnType<typeof createBuildToolsService>;

/** What an agent calls to build functions (agents.md 13): everything up to a proof, and a deploy that asks a person. */
export function createBuildToolsService(use: {
  audit: Pick<AuditService, 'record'>;
  catalog: CatalogReader;
  connections: Pick<ConnectionsService, 'listOfIntegration'>;
  deployments: Pick<DeploymentsService, 'list'>;
  drafts: DraftsService;
  environments: EnvironmentService;
  integrations: Pick<IntegrationsService, 'list'>;
  limits: Pick<LimitsService, 'admit'>;
  logs: Pick<LogsService, 'findOperation' | 'flush' | 'listMessages'>;
  mcp: McpService;
}) {
  const { audit, catalog, connections, deployments, drafts, environments, integrations, limits, logs, mcp } = use;

  async function contextOf(caller: Caller, path: string, connectionId: string): Promise<McpContext> {
    return mcp.open(caller, drafts.locate(path).integration, connectionId);
  }

  /** What a function reads is what the provider returns, as with `nango_proxy` (agents.md 10). */
  async function noteRead(context: McpContext, { name }: ToolboxCall): Promise<void> {
    await mcp.noteUntrusted(context, { name, risk: 'read', kind: 'proxy' });
  }

  async function requireIntegration({ environment }: Caller, path: string): Promise<void> {
    const { integration } = drafts.locate(path);
    if ((await integrations.list(environment.id)).some(({ uniqueKey }) => uniqueKey === integration)) return;
    throw new HomeportError(
      'unknown_integration',
      `There is no integration "${integration}". A person creates it; list_integrations has those that exist.`,
    );
  }

  async function tryRun(caller: Caller, call: ToolboxCall, records: boolean): Promise<ToolResult> {
    const { answers = [], checkpoint, connection_id, input, path } = readInput(runInput, call.arguments, call.name);
    const context = await contextOf(caller, path, connection_id);
    await noteRead(context, call);
    return mcp.withholdSecrets(context, async () => {
      const run = { input, checkpoint, answers, records, signal: call.signal };
      const result = await drafts.run(context, path, run);
      const unanswered = result.held.some(({ hadAnswer }) => !hadAnswer);
      return resultOf(
        {
          passed: result.passed,
          code_hash: result.codeHash,
          operation_id: result.operationId,
          ...(result.error ? { error: result.error } : {}),
          ...(result.output === undefined ? {} : { output: result.output }),
          ...(result.effects ? { effects: result.effects } : {}),
          writes_held_back: viewWrites(result.held),
          logs: result.logs,
          ...(result.recording === undefined ? {} : { recording: result.recording }),
          ...(unanswered && !result.passed
            ? {
                guidance:
                  'A write was not sent, and the function got {}. Give what the provider would answer in answers.',
              }
            : {}),
        },
        !result.passed,
      );
    });
  }

  async function deploy(caller: Caller, call: ToolboxCall): Promise<ToolOutcome> {
    const { connection_id, path } = readInput(onConnectionInput, call.arguments, call.name);
    const context = await contextOf(caller, path, connection_id);
    const proof = await drafts.prove(context, path);
    const tool = { name: 'deploy', risk: 'write', fingerprint: `write ${proof.codeHash} deploy` } as const;
    const shown = viewProof(proof);
    const grant = await mcp.consent(context, tool, { ...call, arguments: shown, mustAsk: reasonsOf(proof) });
    if ('questionId' in grant) return grant;
    if (JSON.stringify(grant.arguments) !== JSON.stringify(shown))
      throw new HomeportError(
        'conflict',
        'The person changed what may be deployed. A function is deployed as a whole.',
      );
    await requireUnchanged(caller, context);
    const deployed = await drafts.deploy(context, proof);
    await audit.record({
      action: 'functions_changed',
      environmentId: caller.environment.id,
      keyId: caller.keyId,
      integrationKey: deployed.integrationKey,
      connectionId: context.connection.connectionId,
      subject: `${path} ${proof.codeHash.slice(0, 12)}, proven and agreed to`,
    });
    const { isEnabled, name, type, version } = deployed;
    return resultOf({ deployed: true, type, name, version, is_enabled: isEnabled, code_hash: proof.codeHash });
  }

  /** The key, the switch and the connection may be gone since the person was asked. */
  async function requireUnchanged({ environment, keyId }: Caller, before: McpContext): Promise<void> {
    const keys = await environments.keys.list(environment.id);
    if (!keys.some(({ id }) => id === keyId)) throw new HomeportError('forbidden', 'The key was revoked meanwhile.');
    requireSwitchedOn(environment.id);
    const caller = { environment, keyId } as Caller;
    const now = await mcp.open(caller, before.integration.uniqueKey, before.connection.connectionId);
    if (now.connection.id !== before.connection.id)
      throw new HomeportError(
        'conflict',
        'The connection was replaced meanwhile. Prove the function with the new one.',
      );
  }

  /** Throws `forbidden` until a person has switched it on. */
  function requireSwitchedOn(environmentId: number): void {
    if (environments.find(environmentId)?.settings.agentsMayBuild) return;
    throw new HomeportError(
      'forbidden',
      'Building by agents is switched off. A person switches it on in the dashboard under Settings, Advanced, or with: homeport settings set agents_may_build true',
    );
  }

  const tools: Record<string, BuildTool> = {
    find_providers: {
      title: 'Find providers',
      description: 'Finds providers of the catalogue by a part of their name.',
      input: findProvidersInput,
      readOnly: true,
      async call(_caller, call) {
        const { search } = readInput(findProvidersInput, call.arguments, call.name);
        const wanted = search.toLowerCase();
        const found = catalog
          .list()
          .filter(({ display_name, name, search_terms = [] }) =>
            [name, display_name, ...search_terms].some((text) => text.toLowerCase().includes(wanted)),
          );
        return resultOf({
          found: found.length,
          providers: found
            .slice(0, MAX_PROVIDERS)
            .map(({ auth_mode, display_name, docs, name }) => ({ provider: name, display_name, auth_mode, docs })),
        });
      },
    },
    read_provider: {
      title: 'Read a provider',
      description:
        'What is known about a provider: the address of its documentation, the base URL, the sign-in, scopes.',
      input: readProviderInput,
      readOnly: true,
      async call(_caller, call) {
        const { provider } = readInput(readProviderInput, call.arguments, call.name);
        const entry = catalog.find(provider);
        if (!entry) throw new HomeportError('not_found', catalog.explainMissing(provider));
        const { auth_mode, available_scopes, categories, display_name, docs, name, proxy, setup_guide_url } = entry;
        return resultOf({
          provider: name,
          display_name,
          categories,
          auth_mode,
          docs,
          setup_guide_url,
          base_url: proxy?.base_url,
          paginate: proxy?.paginate,
          available_scopes,
        });
      },
    },
    list_integrations: {
      title: 'List integrations',
      description: 'The integrations of the environment with their connections (no credentials) and functions.',
      input: listIntegrationsInput,
      readOnly: true,
      async call({ environment }, call) {
        readInput(listIntegrationsInput, call.arguments, call.name);
        const [all, functions] = await Promise.all([
          integrations.list(environment.id),
          deployments.list(environment.id),
        ]);
        const shown = all.map(async ({ id, provider, uniqueKey }) => ({
          integration: uniqueKey,
          provider,
          connections: (await connections.listOfIntegration(id)).map(({ connectionId }) => connectionId),
          functions: functions
            .filter(({ integrationKey }) => integrationKey === uniqueKey)
            .map(({ isEnabled, path, version }) => ({ path, version, is_enabled: isEnabled })),
        }));
        return resultOf({ integrations: await Promise.all(shown) });
      },
    },
    read_function: {
      title: 'Read a function',
      description: 'The draft of a function, else its live source, else a file to start from.',
      input: readFunctionInput,
      readOnly: true,
      async call(caller, call) {
        const { path } = readInput(readFunctionInput, call.arguments, call.name);
        await requireIntegration(caller, path);
        const { codeHash, from, text } = await drafts.read(caller.environment.id, path);
        return resultOf({ path, from, code_hash: codeHash, code: text });
      },
    },
    write_function: {
      title: 'Write a draft',
      description:
        'Stores the whole file of a function as a draft; nothing goes live. One file without imports but homeport and zod.',
      input: writeFunctionInput,
      readOnly: false,
      async call(caller, call) {
        const { code, path } = readInput(writeFunctionInput, call.arguments, call.name);
        await requireIntegration(caller, path);
        const code_hash = await drafts.write(caller.environment.id, path, code);
        return resultOf({ path, code_hash });
      },
    },
    compile: {
      title: 'Compile a draft',
      description: 'Compiles the draft and checks its types. The first step of a proof.',
      input: compileInput,
      readOnly: true,
      async call(caller, call) {
        const { path } = readInput(compileInput, call.arguments, call.name);
        const { codeHash, compiles, diagnostics } = await drafts.compile(caller.environment.id, path);
        const isClean = compiles && !diagnostics.some(({ severity }) => severity === 'error');
        return resultOf({ code_hash: codeHash, compiles, types_are_clean: isClean, diagnostics }, !isClean);
      },
    },
    dry_run: {
      title: 'Dry run',
      description:
        'Runs the draft with a connection. Requests that read are sent; writes are held back and answered from answers. ' +
        'Nothing is stored. The function sees no credential.',
      input: runInput,
      readOnly: true,
      call: (caller, call) => tryRun(caller, call, false),
    },
    record: {
      title: 'Record a run',
      description: 'As dry_run, and keeps requests, answers and result as a recording, without secrets, for replay.',
      input: runInput,
      readOnly: false,
      call: (caller, call) => tryRun(caller, call, true),
    },
    replay: {
      title: 'Replay the recording',
      description: 'Runs the draft over the recording without a request, and compares the result.',
      input: onConnectionInput,
      readOnly: true,
      async call(caller, call) {
        const { connection_id, path } = readInput(onConnectionInput, call.arguments, call.name);
        const context = await contextOf(caller, path, connection_id);
        await noteRead(context, call);
        const { codeHash, hasDryRun, recording, result } = await drafts.replay(context, path, call.signal);
        const { outcome } = result;
        const found =
          outcome === 'failed'
            ? { error: { code: result.failure.code, message: result.failure.message } }
            : { unsent: result.unsent, ...(outcome === 'differs' ? { differences: result.differences } : {}) };
        const guidance =
          outcome === 'passed' && !hasDryRun
            ? { guidance: 'It does not count yet: call dry_run with this text first, then replay again.' }
            : {};
        return resultOf({ outcome, code_hash: codeHash, recording, ...found, ...guidance }, outcome !== 'passed');
      },
    },
    read_logs: {
      title: 'Read the log of a run',
      description: 'State and messages of one run of a function.',
      input: readLogsInput,
      readOnly: true,
      async call(caller, call) {
        const { operation_id } = readInput(readLogsInput, call.arguments, call.name);
        const { id: environmentId } = caller.environment;
        // The last messages of a run may not be stored yet.
        await logs.flush();
        const operation = await logs.findOperation(environmentId, operation_id);
        if (!operation || !RUN_TYPES.includes(operation.operation.type))
          throw new HomeportError('not_found', `There is no run "${operation_id}" in the log.`);
        const found = await logs.listMessages({ environmentId, operationId: operation_id, limit: MAX_MESSAGES });
        const read = async (): Promise<ToolResult> =>
          resultOf({
            operation_id,
            state: operation.state,
            message: operation.message,
            ...(operation.error ? { error: operation.error.message } : {}),
            messages: (found?.messages ?? []).map(({ createdAt, level, message }) => ({
              at: isoDate(createdAt),
              level,
              message,
            })),
          });
        const { connectionName, integrationName } = operation;
        if (!connectionName || !integrationName) return read();
        const context = await mcp.open(caller, integrationName, connectionName).catch((error: unknown) => {
          // The connection is gone. The log was redacted when it was written.
          if (error instanceof HomeportError && error.code === 'unknown_connection') return undefined;
          throw error;
        });
        if (!context) return read();
        await noteRead(context, call);
        return mcp.withholdSecrets(context, read);
      },
    },
    deploy: {
      title: 'Deploy a draft',
      description:
        'Makes the draft live, when its proof is complete for exactly this text and connection (compile, dry_run, record, ' +
        'replay) and a person agrees. The person sees the proof and the difference, every time.',
      input: onConnectionInput,
      readOnly: false,
      call: deploy,
    },
  };
  /** Made for the first caller, and not at each start. */
  let described: ToolDescription[] | undefined;

  return {
    requireSwitchedOn,
    /** The tools for a key. */
    toolbox(caller: Caller): Toolbox {
      return {
        instructions: INSTRUCTIONS,
        listTools: async () => (described ??= Object.entries(tools).map(([name, tool]) => describe(name, tool))),
        callTool: async (call) => {
          const { environment, keyId } = caller;
          const subjects = [{ kind: 'key', id: String(keyId) } as const];
          await limits.admit({ environmentId: environment.id, subjects, kind: 'read', counts: 'call' });
          return Object.hasOwn(tools, call.name) ? tools[call.name]?.call(caller, call) : undefined;
        },
      };
    },
  };
}

function describe(name: string, { description, input, readOnly, title }: BuildTool): ToolDescription {
  const { $schema: _draft, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  const annotations = { readOnlyHint: readOnly, destructiveHint: name === 'deploy' };
  return { name, title, description, inputSchema: inputSchema as ToolDescription['inputSchema'], annotations };
}

/** For a model as text, for programs as data. */
function resultOf(data: object, isError = false): ToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(data, null, 2) }],
    structuredContent: JSON.parse(JSON.stringify(data)) as Record<string, unknown>,
    ...(isError ? { isError } : {}),
  };
}
