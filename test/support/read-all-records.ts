import type { NangoRecord } from '@nangohq/node';
import type { PracticeConnection } from './import-practice-connection.ts';

/** Reads a model by cursor to its end, as the client's documentation describes. */
export async function readAllRecords<T extends Record<string, unknown>>(
  { nango, integration, connectionId }: PracticeConnection,
  model: string,
  limit = 100,
): Promise<NangoRecord<T>[]> {
  const all: NangoRecord<T>[] = [];
  let cursor: string | null = null;
  do {
    const page: { records: NangoRecord<T>[]; next_cursor: string | null } = await nango.listRecords<T>({
      providerConfigKey: integration,
      connectionId,
      model,
      limit,
      cursor,
    });
    all.push(...page.records);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}
