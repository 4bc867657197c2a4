import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { EventSourceParserStream } from 'eventsource-parser/stream';

/** The address of a session and what opens it. */
export interface SessionAddress {
  url: string;
  token: string;
}

export interface StdioRelay {
  input: Readable;
  output: Writable;
  fetch: typeof fetch;
  /** Called for the first message, and again when the address does not open any more. Throws where there is none. */
  open(previous: SessionAddress | undefined): Promise<SessionAddress>;
  /** Aborted when the program that started this one ends it. */
  signal: AbortSignal;
}

/** JSON-RPC, as far as a relay reads it. */
interface Message {
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; uri?: unknown; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: unknown };
}

/** In the `_meta` of each request of revision 2026-07-28, which has no `initialize`. */
const REVISION = 'io.modelcontextprotocol/protocolVersion';
const SERVER_ERROR = -32000;

/**
 * Passes MCP messages on between standard input and output and the address of a session: one JSON text a line there,
 * one POST a message here (Streamable HTTP). Resolves when the input has ended and all answers are written.
 */
export async function relayStdio({ input, output, fetch: send, open, signal }: StdioRelay): Promise<void> {
  let session: Promise<SessionAddress> | undefined;
  let transportSession: string | undefined;
  let revision: string | undefined;
  const running = new Set<Promise<void>>();

  const write = async (text: string): Promise<void> => {
    // One line a message: JSON has no line breaks of its own.
    if (!output.write(`${text.replaceAll(/[\r\n]+/g, ' ')}\n`)) await once(output, 'drain');
  };

  const post = async (text: string, message: Message, { url, token }: SessionAddress): Promise<Response> => {
    const named = message.params?.name ?? message.params?.uri;
    const asked = message.params?._meta?.[REVISION] ?? revision;
    return send(url, {
      method: 'POST',
      signal,
      body: text,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(typeof asked === 'string' && { 'mcp-protocol-version': asked }),
        ...(message.method !== undefined && { 'mcp-method': message.method }),
        ...(typeof named === 'string' && { 'mcp-name': named }),
        ...(transportSession !== undefined && { 'mcp-session-id': transportSession }),
      },
    });
  };

  const pass = async (text: string, message: Message): Promise<void> => {
    session ??= open(undefined);
    const used = session;
    let response = await post(text, message, await used);
    if (response.status === 404) {
      await response.body?.cancel();
      // Of several messages that find it closed, the first one opens the next.
      if (session === used) session = used.then(open);
      transportSession = undefined;
      response = await post(text, message, await session);
    }
    transportSession = response.headers.get('mcp-session-id') ?? transportSession;
    if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body) {
      const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { data } of events) if (data !== '') await deliver(data);
      return;
    }
    const answer = await response.text();
    if (answer.startsWith('{') && 'jsonrpc' in JSON.parse(answer)) return deliver(answer);
    if (response.status >= 400) throw new Error(refusalText(response.status, answer));
  };

  const deliver = async (text: string): Promise<void> => {
    const { result } = JSON.parse(text) as Message;
    if (typeof result?.protocolVersion === 'string') revision = result.protocolVersion;
    await write(text);
  };

  const relay = async (text: string): Promise<void> => {
    let message: Message = {};
    try {
      message = JSON.parse(text) as Message;
      await pass(text, message);
    } catch (error) {
      if (signal.aborted) return;
      // The next message may find the hub running again.
      session = undefined;
      const said = error instanceof Error ? error.message : String(error);
      const isAnswered = message.id !== undefined && message.method !== undefined;
      if (isAnswered)
        await write(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: SERVER_ERROR, message: said } }));
      else process.stderr.write(`homeport: ${said}\n`);
    }
  };

  const lines = createInterface({ input });
  signal.addEventListener('abort', () => lines.close(), { once: true });
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const done = relay(line).finally(() => running.delete(done));
    running.add(done);
    // The answer to `initialize` says which revision the next messages have.
    if (line.includes('"initialize"')) await done;
  }
  await Promise.all(running);
}

/** The words of the hub's own error, else the status. */
function refusalText(status: number, body: string): string {
  const said = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body)?.[1];
  return said === undefined ? `Homeport answered with the status ${status}.` : String(JSON.parse(said));
}
