import { z } from 'zod';
import type { OperationLog } from '../log/operation.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import { type QueryView, viewsOfRecords } from '../queries/queries.contract.ts';
import type { QueriesService, QueryAnswer } from '../queries/queries.service.ts';
import { sqlView } from '../queries/sql-text.contract.ts';
import { readInput } from './check-input.ts';
import type { AskedCall, CallGrant } from './consent.ts';
import type { ConsentTool, McpContext } from './mcp-context.ts';
import { queryRecordsInput } from './query-records.contract.ts';
import { startCall } from './refuse-call.ts';
import type { OpenQuestion, ToolDescription, ToolResult } from './toolbox.ts';
import { UNTRUSTED_OUTPUT, type UntrustedContent } from './untrusted-content.ts';
import type { WithholdSecrets } from './withhold-secrets.ts';

export const QUERY_RECORDS = 'homeport_query_records';

export const QUERY_RECORDS_TOOL: ToolDescription = {
  name: QUERY_RECORDS,
  title: 'Query synced records',
  description:
    'Answers one SQL statement over the records that syncs have stored, with no call of a provider. Call it without sql ' +
    'first: the answer lists the views, one for each model (integration.Model), with their columns. It only reads. ' +
    'Deleted records have _deleted = true. Aggregate in SQL where you can: an answer has at most 1000 rows.',
  /** Made for those who ask, and not at each start. */
  get inputSchema() {
    const { $schema: _draft, ...schema } = z.toJSONSchema(queryRecordsInput, { io: 'input' });
    return schema as ToolDescription['inputSchema'];
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

/** It goes to nobody and changes nothing; a policy that denies tools that read denies it too. */
const CONSENT: ConsentTool = { name: QUERY_RECORDS, risk: 'read', fingerprint: `read ${QUERY_RECORDS}` };

/** About 15,000 tokens: more would push the task out of a model's context. */
const MOST_CHARACTERS = 60_000;

type QueryCall = Pick<AskedCall, 'arguments' | 'asking' | 'signal'>;

/** What the call did, for the log. */
export interface QueriedRecords {
  outcome: ToolResult | OpenQuestion;
  /** Integrations whose records hold text by strangers, and were read. */
  hasUntrusted: boolean;
  rowCount?: number;
}

/** SQL over the records of connections, for agents (agents.md 4). */
export function createQueryRecords({
  consent,
  log,
  queries,
  untrusted,
  withholdSecrets,
}: {
  consent: (context: McpContext, tool: ConsentTool, call: QueryCall) => Promise<CallGrant | OpenQuestion>;
  log: OperationLog;
  queries: Pick<QueriesService, 'query' | 'listViews'>;
  untrusted: Pick<UntrustedContent, 'note'>;
  withholdSecrets: WithholdSecrets;
}) {
  const called = { name: QUERY_RECORDS, risk: 'read', kind: 'records' } as const;

  /** Reads what the statement returns, without the secrets of the connections, and remembers whose text it was. */
  async function handOver<Result>(contexts: readonly McpContext[], work: () => Promise<Result>) {
    let hasUntrusted = false;
    for (const context of contexts) if (await untrusted.note(context, called)) hasUntrusted = true;
    const withhold = (index: number): Promise<Result> => {
      const context = contexts[index];
      return context ? withholdSecrets(context, () => withhold(index + 1)) : work();
    };
    return { result: await withhold(0), hasUntrusted };
  }

  /** `contexts` are all connections that the caller may read, at least one. Throws the errors of a query, and `forbidden`. */
  async function query(contexts: readonly [McpContext, ...McpContext[]], call: QueryCall): Promise<QueriedRecords> {
    readInput(queryRecordsInput, call.arguments, QUERY_RECORDS);
    const grant = await consent(contexts[0], CONSENT, call);
    if ('questionId' in grant) return { outcome: grant, hasUntrusted: false };
    // A person may have narrowed it.
    const { sql, params, limit } = readInput(queryRecordsInput, grant.arguments, QUERY_RECORDS);
    const scope = {
      environmentId: contexts[0].environment.id,
      allowed: contexts.map(({ connection, integration }) => ({
        integrationKey: integration.uniqueKey,
        connectionId: connection.connectionId,
      })),
    };
    if (sql === undefined) {
      const views = viewsOfRecords(await queries.listViews(scope, call.signal), true);
      return { outcome: resultOf(shownViews(views)), hasUntrusted: false };
    }
    const asked = { ...scope, sql, params, format: 'ndjson', mostRows: MOST_COUNTED_ROWS } as const;
    let answer: QueryAnswer;
    try {
      answer = await queries.query({ ...asked, isOverRecordsOnly: true, signal: call.signal });
    } catch (error) {
      // The engine repeats values of records in its errors.
      const isOwnText = error instanceof HomeportError && error.code === 'query_refused';
      if (!isOwnText) await handOver(contexts, () => Promise.reject(error));
      throw error;
    }
    const shown = await shownRows(answer, limit);
    const read = contexts.filter(({ integration }) => answer.integrations.includes(integration.uniqueKey));
    const { hasUntrusted, result } = await handOver(read, async () => shown);
    return { outcome: resultOf(result), hasUntrusted, rowCount: answer.rowCount };
  }

  return {
    query,
    /** The call of a client with a key, over the one connection that it names. */
    async queryOfKey(context: McpContext, call: QueryCall): Promise<ToolResult | OpenQuestion> {
      const operation = startCall(log, context, QUERY_RECORDS);
      try {
        const { outcome, hasUntrusted, rowCount } = await query([context], call);
        if (hasUntrusted) operation.log({ level: 'info', message: UNTRUSTED_OUTPUT });
        operation.finish('success', { meta: { sql: call.arguments['sql'], row_count: rowCount } });
        return outcome;
      } catch (error) {
        operation.finish('failed', {
          error:
            error instanceof HomeportError
              ? { message: error.message, type: error.code }
              : { message: UNEXPECTED_ERROR },
        });
        throw error;
      }
    },
  };
}

/** More rows than an answer has: their number says how much is left. */
const MOST_COUNTED_ROWS = 1_000_000;

/** The first rows, as many as a model can use; the rest is counted, not read. */
async function shownRows({ columns, pieces, rowCount }: QueryAnswer, limit: number) {
  const lines: string[] = [];
  let characters = 0;
  reading: for await (const piece of pieces)
    for (const line of piece.toString('utf8').split('\n')) {
      if (line === '') continue;
      characters += line.length;
      if (lines.length === limit || characters > MOST_CHARACTERS) break reading;
      lines.push(line);
    }
  const isCut = lines.length < rowCount;
  return {
    columns,
    row_count: rowCount,
    rows: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    ...(isCut ? { guidance: guidanceFor(lines.length, rowCount) } : {}),
  };
}

function guidanceFor(shown: number, rowCount: number): string {
  if (shown === 0)
    return 'The first row is too long to show. Select fewer columns, or a part of a text with left(text, 500).';
  return `These are the first ${shown} of ${rowCount} rows. Aggregate, select fewer columns, or go on with ORDER BY, LIMIT and OFFSET.`;
}

function shownViews(views: readonly QueryView[]) {
  const all = views.map((view) => ({
    view: sqlView(view),
    columns: view.columns.map(({ name, type }) => `${name} ${type}`),
  }));
  const isTooLong = JSON.stringify(all).length > MOST_CHARACTERS;
  return {
    views: isTooLong ? all.map(({ view }) => ({ view })) : all,
    guidance:
      views.length === 0
        ? 'No sync of these connections has stored records, and none declares a model.'
        : `${isTooLong ? 'DESCRIBE with the name of a view shows its columns. ' : ''}Nested values are JSON: column->>'member'. Views that end in _history have the kept versions.`,
  };
}

/** Text for a model, data for programs. */
function resultOf(data: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
}
