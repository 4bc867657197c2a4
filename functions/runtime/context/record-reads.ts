import type { HostMethods } from '../bridge.ts';
import { JSONParse, toText } from '../primordials.ts';
import type { GuestRun, Members } from './guest-run.ts';
import { toStoredId } from './record-wire.ts';

const IDS_PER_CALL = 100;
const RECORDS_PER_PAGE = 100;

export function readMembers(run: GuestRun): Members {
  const getRecordsByIds = (ids: unknown[], model: string) => findRecords(run, ids, model);
  return {
    getRecordsByIds,
    getRecordsById: getRecordsByIds,
    listRecords: (model: string, options?: { cursor?: string }) => listRecords(run, model, options?.cursor),
  };
}

/** The keys of the map are the ids as requested, numbers included. */
async function findRecords(run: GuestRun, ids: unknown[] | undefined, model: string): Promise<Map<unknown, unknown>> {
  const found = new Map<unknown, unknown>();
  const wanted = ids ?? [];
  for (let start = 0; start < wanted.length; start += IDS_PER_CALL) {
    const asked = wanted.slice(start, start + IDS_PER_CALL);
    const { records } = await run.host.call('records.getByIds', {
      model: toText(model),
      ids: asked.map(toStoredId),
    });
    const byId = new Map(records.map((record) => [record.id, record.json]));
    for (const id of asked) {
      const json = byId.get(toStoredId(id));
      if (json !== undefined) found.set(id, JSONParse(json));
    }
  }
  return found;
}

async function* listRecords(run: GuestRun, model: string, start?: string): AsyncGenerator<unknown> {
  let cursor: string | null | undefined = start;
  do {
    const page: HostMethods['records.list']['result'] = await run.host.call('records.list', {
      model: toText(model),
      limit: RECORDS_PER_PAGE,
      ...(cursor ? { cursor: toText(cursor) } : {}),
    });
    for (const record of page.records) yield JSONParse(record.json);
    cursor = page.nextCursor;
  } while (cursor);
}
