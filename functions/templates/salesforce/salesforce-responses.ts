import type { FunctionContext, HttpError } from 'homeport';

/**
 * Fixes the format of the responses:
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/dome_versions.htm
 */
export const API = '/services/data/v62.0';

/** Fields of every object, which every query here requests. */
export interface SalesforceObject {
  Id: string;
  IsDeleted: boolean;
  CreatedDate: string;
  /** Time of the last change, including changes by Salesforce itself. */
  SystemModstamp: string;
}

/** https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_queryall.htm */
interface QueryPage<T> {
  records: T[];
  /** Path of the next page; missing on the last one. */
  nextRecordsUrl?: string;
}

/**
 * Yields pages of objects that were changed or deleted since a time, sorted by the last change. Salesforce keeps
 * deleted objects for 15 days. Not `nango.paginate`, which would need a setting for every query.
 */
export async function* changedObjects<T extends SalesforceObject>(
  nango: FunctionContext,
  { object, fields, since }: { object: string; fields: string[]; since: string | undefined },
): AsyncGenerator<{ live: T[]; deleted: Array<{ id: string }>; changedAt: string | undefined }> {
  const names = ['Id', ...fields, 'IsDeleted', 'CreatedDate', 'SystemModstamp'];
  const condition = since ? ` WHERE SystemModstamp >= ${since}` : '';
  const soql = `SELECT ${names.join(', ')} FROM ${object}${condition} ORDER BY SystemModstamp ASC, Id ASC`;
  let request: { endpoint: string; params?: { q: string } } | undefined = {
    endpoint: `${API}/queryAll`,
    params: { q: soql },
  };
  while (request) {
    const { data }: { data: QueryPage<T> } = await nango.get<QueryPage<T>>({ ...request, retries: 3 });
    const last = data.records.at(-1);
    yield {
      live: data.records.filter(({ IsDeleted }) => !IsDeleted),
      deleted: data.records.filter(({ IsDeleted }) => IsDeleted).map(({ Id }) => ({ id: Id })),
      changedAt: last && toIso(last.SystemModstamp),
    };
    request = data.nextRecordsUrl === undefined ? undefined : { endpoint: data.nextRecordsUrl };
  }
}

/** Salesforce writes the offset without a colon: 2026-02-10T12:45:10.000+0000. */
export function toIso(time: string): string {
  return new Date(time).toISOString();
}

/** Salesforce's explanation of a refused request. */
export interface Refusal {
  status: number;
  /** For example `REQUIRED_FIELD_MISSING`, `DUPLICATES_DETECTED`. */
  error: string | undefined;
  message: string;
  /** API names of the invalid fields. */
  fields: string[];
}

/** Statuses of refusals that explain the request. Errors about limits, outages and lost access are thrown unchanged. */
const EXPLAINED = [400, 404, 409];

/** https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm */
export function readRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  const { response } = error as HttpError<Array<{ errorCode?: string; message?: string; fields?: string[] }>>;
  if (!response || !EXPLAINED.includes(response.status)) return undefined;
  const [said] = Array.isArray(response.data) ? response.data : [];
  const { errorCode, message = error.message, fields = [] } = said ?? {};
  return { status: response.status, error: errorCode, message, fields };
}
