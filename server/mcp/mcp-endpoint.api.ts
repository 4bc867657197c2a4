import type { CallToolResult, JSONRPCMessage, Server, ServerContext, Tool } from '@modelcontextprotocol/server';
import type { ApiRequest } from '../platform/http/route.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { answerOf, ClientQuestions, DECISION, formOf } from './client-questions.api.ts';
import { type ClientSession, canAsk, programOf, protocolSessionId, readSessionId } from './client-session.api.ts';
import {
  McpRefusal,
  RPC,
  readMessages,
  refusalResponse,
  requireBothForms,
  requireOwnOrigin,
  toWebRequest,
  writeResponse,
} from './mcp-http.api.ts';
import { presentToolError } from './tool-error.present.ts';
import type { ClientAsking, ClientProgram, Toolbox } from './toolbox.ts';

/** It is loaded at the first request. */
type Library = typeof import('@modelcontextprotocol/server');

export interface McpEndpointOptions {
  logger: Logger;
  ids: Ids;
  /** Version of the program. */
  version: string;
}

/** One request of an MCP address. */
interface Call {
  library: Library;
  toolbox: Toolbox;
  /** Whose address it is: only requests of the same owner answer its questions or cancel its calls. */
  owner: string;
  request: Request;
  message: unknown;
  /** Aborted when the client has gone, which also happens when its call was answered. */
  gone: AbortSignal;
}

/** How the server of one request knows its client. */
interface ClientFacts {
  client(context: ServerContext): ClientProgram | undefined;
  asking(context: ServerContext): ClientAsking;
}

/** How long a client may keep the list of tools, and what the server says about itself. */
const LIST_TTL_MS = 5_000;
const DISCOVER_TTL_MS = 60_000;
/** Batches were removed by this revision. */
const FIRST_WITHOUT_BATCHES = '2025-06-18';
const ASSUMED_REVISION = '2025-03-26';
const SESSION_HEADER = 'mcp-session-id';
const REVISION_HEADER = 'mcp-protocol-version';
const SESSION_NOT_FOUND = -32001;

/** Serves the tools of a toolbox over streamable HTTP, in the revision that the client speaks (http-api.md 16). */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  readonly #questions: ClientQuestions;
  /** Calls of protocol sessions, which their clients may cancel in another request. */
  readonly #running = new Map<string, () => void>();
  #library: Library | undefined;

  constructor(options: McpEndpointOptions) {
    this.#options = options;
    this.#questions = new ClientQuestions(options.ids);
  }

  /** Answers a POST whose route takes bytes; writes the response itself. The caller was authorized before. */
  async serve(
    toolbox: Toolbox,
    owner: string,
    { http, response, body }: Pick<ApiRequest, 'http' | 'response' | 'body'>,
  ): Promise<undefined> {
    const gone = new AbortController();
    // A reason spares the error that would be made for each answered call.
    response.on('close', () => gone.abort('The client has gone.'));
    let message: unknown;
    let answer: Response;
    try {
      requireOwnOrigin(http.headers);
      requireBothForms(http.headers.accept);
      message = readMessages(http, body);
      // To ask for a loaded module costs a fifth of a call.
      this.#library ??= await import('@modelcontextprotocol/server');
      const library = this.#library;
      requireMessages(library, message);
      const request = toWebRequest(http);
      requireServedRevision(library, request, message);
      const call = { library, toolbox, owner, request, message, gone: gone.signal };
      answer = (await library.isLegacyRequest(request, message))
        ? await this.#serve2025(call)
        : await this.#serve2026(call);
    } catch (error) {
      if (!(error instanceof McpRefusal)) throw error;
      answer = refusalResponse(error, (message as { id?: unknown } | undefined)?.id);
    }
    await writeResponse(answer, response);
    return undefined;
  }

  /** Revision 2026-07-28: every request says who calls and what the client can do. */
  async #serve2026(call: Call): Promise<Response> {
    const { library, message, request } = call;
    const { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } = library;
    const facts: ClientFacts = {
      client: ({ mcpReq }) => programOf(envelopeOf(mcpReq)?.[CLIENT_INFO_META_KEY]),
      asking: ({ mcpReq }) => {
        if (!canAsk(envelopeOf(mcpReq)?.[CLIENT_CAPABILITIES_META_KEY])) return { kind: 'none' };
        const questionId = mcpReq.requestState<string>();
        const given = mcpReq.inputResponses?.[DECISION];
        const answer = given === undefined ? 'unanswered' : answerOf(given);
        return { kind: 'repeat', previous: questionId === undefined ? undefined : { questionId, answer } };
      },
    };
    const handler = library.createMcpHandler(() => this.#createServer(call, facts), { legacy: 'reject' });
    const ending = new Request(request, { signal: call.gone });
    return withServedRevisions(library, await handler.fetch(ending, { parsedBody: message }));
  }

  /** Revisions of 2025 and before: the client says at `initialize` what it can do, and its session id repeats it. */
  async #serve2025(call: Call): Promise<Response> {
    const { library, message, owner, request } = call;
    const sessionId = request.headers.get(SESSION_HEADER) ?? undefined;
    const session = sessionId === undefined ? undefined : readSessionId(sessionId);
    if (sessionId !== undefined && !session)
      throw new McpRefusal(404, SESSION_NOT_FOUND, 'Session not found. Initialize again.');
    const revision = request.headers.get(REVISION_HEADER) ?? session?.revision ?? ASSUMED_REVISION;
    if (Array.isArray(message) && revision >= FIRST_WITHOUT_BATCHES)
      throw new McpRefusal(400, RPC.invalidRequest, `Invalid request: revision ${revision} has no batches.`);
    if (library.isJSONRPCResponse(message)) {
      this.#questions.settle(owner, message);
      return new Response(null, { status: 202 });
    }
    if (sessionId !== undefined && isCancellation(message))
      this.#running.get(runningKey(owner, sessionId, message.params.requestId))?.();
    return await this.#handle2025(call, revision, sessionId, session);
  }

  async #handle2025(
    call: Call,
    revision: string,
    sessionId: string | undefined,
    session: ClientSession | undefined,
  ): Promise<Response> {
    const { gone, library, message, owner, request } = call;
    const mayAsk = session?.canAsk === true && isToolCall(message);
    // Only a stream carries a question before the result.
    const transport = new library.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !mayAsk });
    const server = this.#createServer(call, {
      client: () => session?.client,
      asking: ({ mcpReq: { id: callId } }) =>
        mayAsk
          ? {
              kind: 'elicit',
              ask: (question, signal) => this.#questions.ask({ owner, transport, callId, revision }, question, signal),
            }
          : { kind: 'none' },
    });
    await server.connect(transport);
    const ended = Promise.withResolvers<Response>();
    const end = (): void => {
      ended.resolve(new Response(null, { status: 202 }));
      server.close().catch((error: unknown) => this.#reportUnclean(error));
    };
    gone.addEventListener('abort', end, { once: true });
    this.#letCancel(call, sessionId, end);
    const response = await Promise.race([transport.handleRequest(request, { parsedBody: message }), ended.promise]);
    // Nothing of the server goes on behind an answer that is no stream.
    if (!mayAsk) gone.removeEventListener('abort', end);
    if (library.isInitializeRequest(message))
      response.headers.set(SESSION_HEADER, this.#newSessionId(library, message.params));
    return response;
  }

  /** Until its call was answered. */
  #letCancel({ gone, message, owner }: Call, sessionId: string | undefined, end: () => void): void {
    if (sessionId === undefined || !isToolCall(message)) return;
    const key = runningKey(owner, sessionId, message.id);
    this.#running.set(key, end);
    gone.addEventListener('abort', () => this.#running.delete(key), { once: true });
  }

  #newSessionId(
    { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS }: Library,
    params: { protocolVersion: string; clientInfo: unknown; capabilities: unknown },
  ): string {
    const isServed = SUPPORTED_PROTOCOL_VERSIONS.includes(params.protocolVersion);
    return protocolSessionId({
      revision: isServed ? params.protocolVersion : LATEST_PROTOCOL_VERSION,
      client: programOf(params.clientInfo),
      canAsk: canAsk(params.capabilities),
      nonce: this.#options.ids.uuid(),
    });
  }

  #createServer({ library, toolbox }: Call, facts: ClientFacts): Server {
    const { logger, version } = this.#options;
    const server = new library.Server(
      { name: 'homeport', title: 'Homeport', version },
      {
        capabilities: { tools: {} },
        ...(toolbox.instructions === undefined ? {} : { instructions: toolbox.instructions }),
        cacheHints: {
          'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
          'server/discover': { ttlMs: DISCOVER_TTL_MS, cacheScope: 'private' },
        },
      },
    );
    server.setRequestHandler('tools/list', async () => ({
      tools: [...(await toolbox.listTools())] as Tool[],
    }));
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const call = {
        name: params.name,
        arguments: params.arguments ?? {},
        signal: context.mcpReq.signal,
        client: facts.client(context),
        asking: facts.asking(context),
      };
      const outcome = await toolbox.callTool(call).catch((error: unknown) => {
        if (!(error instanceof HomeportError)) logger.error({ err: error }, 'unexpected failure of a tool');
        return presentToolError(error);
      });
      if (outcome === undefined)
        throw new library.ProtocolError(RPC.invalidParams, `Unknown tool: ${params.name}. tools/list has the tools.`);
      if (!('questionId' in outcome)) return outcome as CallToolResult;
      const { question, questionId } = outcome;
      return library.inputRequired({
        inputRequests: { [DECISION]: library.inputRequired.elicit(formOf(question)) },
        requestState: questionId,
      });
    });
    return server;
  }

  #reportUnclean(error: unknown): void {
    this.#options.logger.warn({ err: error }, 'an MCP request did not end cleanly');
  }
}

/** The library declares no members of it. */
function envelopeOf({ envelope }: ServerContext['mcpReq']): Record<string, unknown> | undefined {
  return envelope as Record<string, unknown> | undefined;
}

/** Newest first. */
function servedRevisions({ SUPPORTED_PROTOCOL_VERSIONS }: Library): string[] {
  return ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];
}

/** The library names only the revisions without `initialize`. */
function requireServedRevision(library: Library, request: Request, message: unknown): void {
  const meta = (message as { params?: { _meta?: Record<string, unknown> } }).params?._meta;
  const claimed = meta?.[library.PROTOCOL_VERSION_META_KEY] ?? request.headers.get(REVISION_HEADER);
  const supported = servedRevisions(library);
  if (claimed === null || supported.includes(String(claimed))) return;
  throw new McpRefusal(
    400,
    RPC.unsupportedRevision,
    `Unsupported protocol version ${JSON.stringify(claimed)}. This address serves ${supported.join(', ')}.`,
    { supported, requested: claimed },
  );
}

/** Adds the served revisions to a refusal of the headers. */
async function withServedRevisions(library: Library, response: Response): Promise<Response> {
  if (response.status !== 400) return response;
  const body = (await response.json()) as { error?: { data?: unknown } };
  const data = { ...(body.error?.data as object | undefined), supported: servedRevisions(library) };
  return Response.json({ ...body, error: { ...body.error, data } }, { status: 400 });
}

/** Throws unless the body is a message, or a list with at least one. */
function requireMessages({ isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse }: Library, body: unknown): void {
  const messages = [body].flat();
  const isMessage = (one: unknown): one is JSONRPCMessage =>
    isJSONRPCRequest(one) || isJSONRPCNotification(one) || isJSONRPCResponse(one);
  if (messages.length > 0 && messages.every(isMessage)) return;
  throw new McpRefusal(400, RPC.invalidRequest, 'Invalid request: the body is no JSON-RPC message.');
}

function isToolCall(message: unknown): message is { id: string | number } {
  return (message as { method?: unknown }).method === 'tools/call';
}

function isCancellation(message: unknown): message is { params: { requestId: unknown } } {
  const { method, params } = message as { method?: unknown; params?: unknown };
  return method === 'notifications/cancelled' && typeof params === 'object' && params !== null && 'requestId' in params;
}

function runningKey(owner: string, sessionId: string, callId: unknown): string {
  return JSON.stringify([owner, sessionId, callId]);
}
