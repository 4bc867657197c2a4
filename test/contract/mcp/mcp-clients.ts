import { Client as Client2026, StreamableHTTPClientTransport as Transport2026 } from '@modelcontextprotocol/client';
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** A question that a client shows to its person. */
export interface Shown {
  /** Of the request. */
  id: string | number;
  message: string;
  requestedSchema: { properties: Record<string, Record<string, unknown>> };
}

/** What the person does; `signal` is aborted when the question was answered elsewhere. */
export type Person = (
  shown: Shown,
  signal: AbortSignal,
) => Promise<{ action: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> }>;

export interface CallResult {
  content: { type: string; text: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}

/** An official client of one revision whose person answers questions. */
export interface AskingClient {
  call(name: string, input?: Record<string, unknown>): Promise<CallResult>;
  listTools(): Promise<{ tools: Record<string, unknown>[] }>;
  revision(): string | undefined;
  close(): Promise<void>;
}

export const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

const INFO = { name: 'asking-client', version: '1' };
const CAPABILITIES = { elicitation: { form: {} } };

export async function connectAsking(
  revision: Revision,
  { url, headers, person }: { url: string; headers: Record<string, string>; person?: Person },
): Promise<AskingClient> {
  const capabilities = person ? CAPABILITIES : {};
  if (revision === '2025-11-25') {
    const client = new Client2025(INFO, { capabilities });
    if (person)
      client.setRequestHandler(
        ElicitRequestSchema,
        async ({ params }, { requestId, signal }) =>
          (await person({ ...params, id: requestId } as never, signal)) as never,
      );
    const transport = new Transport2025(new URL(url), { requestInit: { headers } });
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    return {
      call: async (name, input = {}) => (await client.callTool({ name, arguments: input })) as CallResult,
      listTools: () => client.listTools(),
      revision: () => transport.protocolVersion,
      close: () => client.close(),
    };
  }
  const client = new Client2026(INFO, {
    capabilities,
    ...(revision === '2026-07-28'
      ? { versionNegotiation: { mode: { pin: revision } } }
      : { supportedProtocolVersions: [revision] }),
  });
  if (person)
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }, { mcpReq }) => (await person({ ...params, id: mcpReq.id } as never, mcpReq.signal)) as never,
    );
  const transport = new Transport2026(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return {
    call: async (name, input = {}) => (await client.callTool({ name, arguments: input })) as CallResult,
    listTools: () => client.listTools(),
    revision: () => client.getNegotiatedProtocolVersion(),
    close: () => client.close(),
  };
}

/** The form's choice with this title. */
export function choose(title: string): Person {
  return async ({ requestedSchema }) => {
    const [[name, field]] = Object.entries(requestedSchema.properties) as [[string, Record<string, unknown>]];
    const named = field['oneOf'] as { const: string; title: string }[] | undefined;
    const values = field['enum'] as string[] | undefined;
    const titles = (field['enumNames'] ?? named?.map((one) => one.title)) as string[];
    const value = (values ?? named?.map((one) => one.const) ?? [])[titles.indexOf(title)];
    if (value === undefined) throw new Error(`no choice "${title}" in ${JSON.stringify(field)}`);
    return { action: 'accept', content: { [name]: value } };
  };
}
