import type { ExportedConnection } from '../../data/transfer/export-file.ts';
import type { MoveRow } from '../../data/transfer/move-hub.ts';
import type { ImportResult } from '../../imports/imports.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { headersOfConnection } from '../hub/find-connection.ts';
import { type HubClient, parseHubJson, refusalLines } from '../hub/hub-client.ts';

interface RecordMove {
  /** Of the source. */
  environment: string;
  source: HubClient;
  target: HubClient;
  connections: readonly ExportedConnection[];
  isPlan: boolean;
  /** Records that differ there are replaced; otherwise they stay. */
  replaces: boolean;
}

const PAGE = '1000';
const NO_IMPORT = 'the other server has no import of records; the first run of each sync reads them again';

/** The records of every model, page by page through the import of the other hub: digits and order stay. */
export async function* moveRecords(context: CliContext, move: RecordMove): AsyncGenerator<MoveRow> {
  const models = await listModels(context, move);
  for (const { connection, model, variant } of models) {
    const name = `${connection.provider_config_key}/${connection.connection_id} ${model}${variant === 'base' ? '' : ` (${variant})`}`;
    yield { kind: 'records', name, ...(await moveModel(move, { connection, model, variant })) };
  }
}

interface Stream {
  connection: ExportedConnection;
  model: string;
  variant: string;
}

async function moveModel(
  { source, target, isPlan, replaces }: RecordMove,
  { connection, model, variant }: Stream,
): Promise<Pick<MoveRow, 'state' | 'detail'>> {
  const flags = { dry_run: String(isPlan), keep_existing: String(!replaces) };
  const headers = headersOfConnection({ ...connection, provider: '', status: 'ok' });
  const totals = { added: 0, updated: 0, deleted: 0, unchanged: 0, kept: 0 };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const read = new URL(`${source.baseUrl}/records`);
    read.search = new URLSearchParams({ model, variant, limit: PAGE, ...(cursor === '' ? {} : { cursor }) }).toString();
    const page = await source.raw(read, { headers });
    const text = await page.text();
    if (!page.ok) throw source.refusal(page.status, parseHubJson(text));
    const write = new URL(`${target.baseUrl}/records/import`);
    write.search = new URLSearchParams({ model, variant, format: 'json', ...flags }).toString();
    const answer = await target.raw(write, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: text,
    });
    const body = parseHubJson(await answer.text());
    if (answer.status === 404 || answer.status === 405) return { state: 'failed', detail: NO_IMPORT };
    // In a plan the connection may not be there yet.
    if (isPlan && isUnknownConnection(body)) return { state: 'created', detail: 'after its connection' };
    if (!answer.ok) return { state: 'failed', detail: refusalLines(answer.status, body).join('; ') };
    const result = body as ImportResult;
    if (result.invalid > 0)
      return {
        state: 'failed',
        detail: `${result.invalid} records do not fit the model there: ${result.problems[0]?.column ?? ''} ${result.problems[0]?.message ?? ''}`,
      };
    for (const one of ['added', 'updated', 'deleted', 'unchanged', 'kept'] as const) totals[one] += result[one];
    cursor = (JSON.parse(text) as { next_cursor: string | null }).next_cursor;
  }
  const { added, updated, deleted, unchanged, kept } = totals;
  // A sync of the other hub may have newer ones.
  const differing = kept === 0 ? '' : `, ${kept} others differ and stay; --replace overwrites them`;
  if (added + updated + deleted === 0) return { state: 'there', detail: `${unchanged} records${differing}` };
  return {
    state: unchanged === 0 && updated === 0 ? 'created' : 'changed',
    detail: `${added} new, ${updated} changed, ${deleted} deleted, ${unchanged} as before${differing}`,
  };
}

const isUnknownConnection = (body: unknown): boolean =>
  (body as { error?: { code?: string } } | undefined)?.error?.code === 'unknown_connection';

/** Of the own hub every model with records; of another one the models that syncs declare. */
async function listModels({ hubs }: CliContext, { environment, source, connections }: RecordMove): Promise<Stream[]> {
  if ((await hubs.functionsFolder()) === undefined) {
    const declared = await source.call<Array<{ providerConfigKey: string; syncs: Array<{ returns: string[] }> }>>(
      'GET',
      '/scripts/config',
    );
    return connections.flatMap((connection) => {
      const own = declared.filter(({ providerConfigKey }) => providerConfigKey === connection.provider_config_key);
      const models = new Set(own.flatMap(({ syncs }) => syncs.flatMap(({ returns }) => returns)));
      return [...models].map((model) => ({ connection, model, variant: 'base' }));
    });
  }
  const session = await hubs.logIn();
  const lists = await Promise.all(
    connections.map(async (connection) => {
      const path = `/api/v1/connections/${encodeURIComponent(connection.provider_config_key)}/${encodeURIComponent(connection.connection_id)}/models`;
      const { data } = await session.call<{ data: Array<{ model: string; variant: string }> }>('GET', path, {
        query: { env: environment },
      });
      return data.map(({ model, variant }) => ({ connection, model, variant }));
    }),
  );
  return lists.flat();
}
