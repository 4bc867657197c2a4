import type { ParsedAction } from '../functions/deployments/deployed-function.ts';
import type { CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { McpContext, ToolClient } from './mcp-context.ts';
import type { McpTool } from './mcp-tool.ts';
import { type UntrustedRead, type UntrustedReader, UntrustedReadsStore } from './untrusted-reads.store.ts';

export type { UntrustedRead } from './untrusted-reads.store.ts';

/** What a session does after it read text by strangers: asks before each write, or goes on as before. */
export type UntrustedContentMode = 'ask' | 'ignore';

/** Categories of providers whose data other people write: mail, chats, issues, pages, comments, shared files. */
const UNTRUSTED_CATEGORIES: ReadonlySet<string> = new Set([
  'ats',
  'cms',
  'communication',
  'crm',
  'design',
  'dev-tools',
  'e-commerce',
  'knowledge-base',
  'marketing',
  'mcp',
  'productivity',
  'search',
  'social',
  'storage',
  'support',
  'surveys',
  'ticketing',
  'video',
]);

/** For the log. */
export const UNTRUSTED_OUTPUT =
  'Its output can hold text by strangers: from now on, each write of the session is asked.';

/** A client with an API key has no end, as a session has. */
const KEY_MARK_MS = 24 * 3_600_000;

/** Whether what the provider returns holds text by strangers, when nothing else says it. */
export function isUntrustedEntry(entry: Pick<ProviderEntry, 'categories' | 'untrusted_output'> | undefined): boolean {
  return entry?.untrusted_output ?? entry?.categories?.some((one) => UNTRUSTED_CATEGORIES.has(one)) ?? false;
}

/** What the author says about the output of an action; undefined for nothing. A deploy has no member of its own for it. */
export function declaredUntrusted({ attributes, untrusted_output }: ParsedAction): boolean | undefined {
  const deployed = attributes?.['untrusted_output'];
  return untrusted_output ?? (typeof deployed === 'boolean' ? deployed : undefined);
}

/** What runs: an action, a request to the provider, a query of its records, or a tool of a remote MCP server. */
type Called = Pick<McpTool, 'isUntrustedOutput' | 'name' | 'risk'> & {
  kind: 'action' | 'proxy' | 'records' | 'remote';
};

/** An action that writes mostly returns what the agent sent: its author says when there is more. */
function isUntrusted({ isUntrustedOutput, kind, risk }: Called, entry: ProviderEntry | undefined): boolean {
  if (kind === 'remote') return entry?.untrusted_output ?? true;
  if (kind === 'proxy' || kind === 'records') return isUntrustedEntry(entry);
  return isUntrustedOutput ?? (risk === 'read' && isUntrustedEntry(entry));
}

export type UntrustedContent = ReturnType<typeof createUntrustedContent>;

/** Remembers which clients read text by strangers, across restarts, and why that makes their writes ask (agents.md 10). */
export function createUntrustedContent({
  catalog,
  clock,
  database,
}: {
  catalog: CatalogLookup;
  clock: Clock;
  database: Database;
}) {
  const store = new UntrustedReadsStore();

  async function list(client: ToolClient): Promise<UntrustedRead[]> {
    const reader = readerOf(client);
    if (!reader) return [];
    const since = 'apiKeyId' in reader ? clock.now() - KEY_MARK_MS : 0;
    return (await store.list(database.reader, reader)).filter(({ readAt }) => readAt >= since);
  }

  return {
    /**
     * Call it before the tool runs: what it throws is its output too, and the hub may stop. Resolves to whether it
     * returns text by strangers.
     */
    async note({ client, connection, integration }: McpContext, called: Called): Promise<boolean> {
      const reader = readerOf(client);
      if (!reader || !isUntrusted(called, catalog.find(integration.provider))) return false;
      const about = { tool: called.name, integrationKey: integration.uniqueKey, connectionId: connection.connectionId };
      await database.transaction(
        async (tx) => {
          if ('apiKeyId' in reader) await store.removeOfKeys(tx, clock.now() - KEY_MARK_MS);
          await store.insert(tx, reader, { ...about, readAt: clock.now() });
        },
        { durable: true },
      );
      return true;
    },
    /** Why a write of the client must ask; empty when it need not. The text stays the same for the same session. */
    async reasons(client: ToolClient): Promise<string[]> {
      if (client.untrustedContent === 'ignore') return [];
      const [first] = await list(client);
      if (!first) return [];
      const at = new Date(first.readAt).toISOString();
      return [
        `This session read text by strangers (${first.tool} of ${first.integrationKey}, ${at}). ` +
          'Such text can contain instructions for the agent.',
      ];
    },
    /** By session, oldest first. */
    listOfSessions: (ids: readonly string[]): Promise<Map<string, UntrustedRead[]>> =>
      store.listOfSessions(database.reader, ids),
  };
}

function readerOf({ keyId, sessionId }: ToolClient): UntrustedReader | undefined {
  if (sessionId !== null) return { sessionId };
  return keyId === null ? undefined : { apiKeyId: keyId };
}
