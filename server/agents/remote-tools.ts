import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { Integration } from '../integrations/integration.ts';
import type { Operation } from '../log/operation.ts';
import type { McpTool, ToolRisk } from '../mcp/mcp.service.ts';
import type { ToolAnnotations, ToolResult } from '../mcp/toolbox.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { ProxyService } from '../proxy/proxy.service.ts';
import type { IntegrationTool } from './session-tools.ts';

/** A connection to a remote MCP server. */
interface RemoteServer {
  environment: Environment;
  integration: Integration;
  connection: StoredConnection;
}

export type RemoteTools = ReturnType<typeof createRemoteTools>;

/** A list of tools is asked for again after this time. */
const LIST_MS = 5 * 60_000;
/** A list that could not be had is asked for again sooner. */
const FAILED_MS = 30_000;
const LIST_TIMEOUT_MS = 10_000;
const CALL_TIMEOUT_MS = 5 * 60_000;
const MAX_TOOLS = 2000;

/** Tools of integrations that are MCP servers themselves, relayed through the proxy with the connection's credentials. */
export function createRemoteTools(use: {
  catalog: CatalogLookup;
  clock: Clock;
  connections: Pick<ConnectionsService, 'findByRowId'>;
  logger: Logger;
  proxy: ProxyService;
  /** Version of the program. */
  version: string;
}) {
  const { catalog, clock, connections, logger, proxy, version } = use;
  const lists = new LRUCache<number, { tools: Promise<McpTool[] | undefined>; askedAt: number; isKnown?: boolean }>({
    max: 500,
  });

  const isRemote = ({ provider }: Integration): boolean =>
    catalog.find(provider)?.auth_mode.startsWith('MCP_OAUTH2') ?? false;

  /** Calls `work` with a client of the server, which speaks the protocol over the proxy. */
  async function withClient<T>(
    { connection, environment, integration }: RemoteServer,
    { operation, signal }: { operation?: Operation; signal?: AbortSignal },
    work: (client: InstanceType<typeof import('@modelcontextprotocol/sdk/client/index.js')['Client']>) => Promise<T>,
  ): Promise<T> {
    const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    ]);
    const client = new Client({ name: 'homeport', version });
    const send = async (_url: URL | string, init: RequestInit = {}): Promise<Response> => {
      // The stream of messages that the server sends by itself is not needed.
      if (init.method === 'GET') return new Response(null, { status: 405 });
      const response = await proxy.call({
        target: {
          environmentId: environment.id,
          integrationKey: integration.uniqueKey,
          connectionId: connection.connectionId,
        },
        method: init.method ?? 'POST',
        endpoint: '/',
        isAtBase: true,
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(typeof init.body === 'string'
          ? { body: { kind: 'bytes', bytes: Buffer.from(init.body), contentType: 'application/json' } as const }
          : {}),
        hidesCredentials: true,
        followsRedirects: false,
        ...(operation ? { log: { operation, context: 'proxy' as const } } : {}),
        ...(init.signal ? { signal: init.signal } : {}),
      });
      response.tap?.end(true);
      const headers = Object.entries(response.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
      );
      const hasBody = response.status !== 204 && response.status !== 304;
      if (!hasBody) response.body.destroy();
      const body = hasBody ? (Readable.toWeb(response.body) as ReadableStream) : null;
      return new Response(body, { status: response.status, headers });
    };
    // The address is the one of the integration; the proxy knows it.
    const transport = new StreamableHTTPClientTransport(new URL('http://remote.invalid/'), {
      fetch: send as typeof fetch,
    });
    try {
      await client.connect(transport as Parameters<typeof client.connect>[0], {
        ...(signal ? { signal } : {}),
        timeout: LIST_TIMEOUT_MS,
      });
      return await work(client);
    } finally {
      await client.close();
    }
  }

  async function ask(server: RemoteServer): Promise<McpTool[]> {
    return withClient(server, {}, async (client) => {
      const tools: McpTool[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: LIST_TIMEOUT_MS });
        tools.push(...page.tools.map(toMcpTool));
        cursor = page.nextCursor;
      } while (cursor !== undefined && tools.length < MAX_TOOLS);
      return tools;
    });
  }

  /** Undefined when the server does not say them now. */
  async function list(server: RemoteServer): Promise<McpTool[] | undefined> {
    const { id } = server.connection;
    const known = lists.get(id);
    const keptMs = known?.isKnown === false ? FAILED_MS : LIST_MS;
    if (known && clock.now() - known.askedAt < keptMs && clock.now() >= known.askedAt) return known.tools;
    const entry: { tools: Promise<McpTool[] | undefined>; askedAt: number; isKnown?: boolean } = {
      askedAt: clock.now(),
      tools: ask(server).catch((error: unknown) => {
        entry.isKnown = false;
        logger.warn(
          { err: error, integration: server.integration.uniqueKey },
          'the tools of an MCP server could not be read',
        );
        return undefined;
      }),
    };
    lists.set(id, entry);
    return entry.tools;
  }

  return {
    /** Tools of those integrations that are MCP servers. `unknown`: they have tools, but not known ones. */
    async listAll(
      environment: Environment,
      of: ReadonlyArray<{ integration: Integration; connectionRowId: number | null }>,
    ): Promise<{ tools: IntegrationTool[]; unknown: Set<string> }> {
      const unknown = new Set<string>();
      const found = await Promise.all(
        of
          .filter(({ integration }) => isRemote(integration))
          .map(async ({ connectionRowId, integration }) => {
            const connection = connectionRowId === null ? undefined : await connections.findByRowId(connectionRowId);
            const tools = connection && (await list({ environment, integration, connection }));
            if (!tools) unknown.add(integration.uniqueKey);
            return (tools ?? []).map((tool) => ({
              integrationKey: integration.uniqueKey,
              tool,
              isRemote: true as const,
            }));
          }),
      );
      return { tools: found.flat(), unknown };
    },

    /** Runs a tool of the server; resolves to its result as it came. Throws `provider_unreachable`. */
    async call(
      server: RemoteServer,
      { arguments: given, name }: { name: string; arguments: Record<string, unknown> },
      { operation, signal }: { operation: Operation; signal: AbortSignal },
    ): Promise<ToolResult> {
      try {
        return (await withClient(server, { operation, signal }, (client) =>
          client.callTool({ name, arguments: given }, undefined, { signal, timeout: CALL_TIMEOUT_MS }),
        )) as ToolResult;
      } catch (error) {
        if (error instanceof HomeportError) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        throw new HomeportError(
          'provider_unreachable',
          `The MCP server of "${server.integration.uniqueKey}" did not run ${name}: ${reason}`,
          {
            cause: error,
          },
        );
      }
    },
  };
}

interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: unknown;
  outputSchema?: unknown;
  annotations?: { [Hint in keyof ToolAnnotations]?: boolean | undefined } | undefined;
}

function toMcpTool({ annotations, description, inputSchema, name, outputSchema, title }: ListedTool): McpTool {
  const risk: ToolRisk = annotations?.readOnlyHint ? 'read' : annotations?.destructiveHint ? 'delete' : 'write';
  const said = JSON.stringify([name, description, inputSchema, outputSchema]);
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description: description || title || name,
    risk,
    annotations: relayed(annotations),
    // A server says no version: what it says about the tool stands for it.
    fingerprint: `${risk} ${createHash('sha256').update(said).digest('hex')}`,
    inputSchema: inputSchema as McpTool['inputSchema'],
    takesInput: true,
    ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as NonNullable<McpTool['outputSchema']> }),
  };
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** As the server says them: a hint that is absent has a default of the protocol, which is not always false. */
function relayed(annotations: ListedTool['annotations'] = {}): ToolAnnotations {
  return Object.fromEntries(
    HINTS.flatMap((hint) => (typeof annotations[hint] === 'boolean' ? [[hint, annotations[hint]]] : [])),
  );
}
