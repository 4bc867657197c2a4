import { MAX_LIST_GROUPS } from '../contract/dashboard/list-limits.ts';
import type { RowCount } from '../platform/database/count-rows.ts';
import type { ReadHandle } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { ProxyCountRow } from '../proxy/proxy-counts.store.ts';
import type { RecordCountRow } from '../records/record-counts.store.ts';
import type { LogCounts, RunSummary } from './log-counts.ts';
import { parseLogQuery } from './log-query.contract.ts';
import type { LogWordsStore } from './log-words.store.ts';
import {
  type LoggedMessage,
  type LoggedOperation,
  type LoggedOperationDetail,
  toLoggedDetail,
  toLoggedMessage,
  toLoggedOperation,
} from './logged-entries.ts';
import type { MessagesStore } from './messages.store.ts';
import type { MessageLevel, OperationState } from './operation.ts';
import type { OperationFilter } from './operation-conditions.store.ts';
import {
  type FilterCategory,
  NO_INTEGRATION,
  type OperationListRow,
  type OperationOrder,
  type OperationsStore,
} from './operations.store.ts';
import { MAX_TERMS, searchTerms, withWholeWords } from './search-terms.ts';
import { cutPeriod, DAY_MS, HOUR_MS, type TimeBuckets } from './time-buckets.ts';

const INSIGHTS_DAYS = 14;
const FILTER_VALUES = 20;
/** They are searched by their names, which the log does not have. */
const MOST_INTEGRATIONS = 10_000;
/** A page is searched in this many times its rows, then in more, then in all. */
const PARTS_OF_PAGES = [2, 20];
/** Twice what is counted at most. */
const PART_OF_COUNT = 20_000;
/** Pages from this offset on know the total before they are read. */
const FAR_OFFSET = 1_000;

/** Selects operations; an absent member does not filter. Times are in milliseconds. */
interface OperationsFilter {
  environmentId: number;
  /** Only the operation with this id. */
  id?: string | undefined;
  states?: readonly OperationState[] | undefined;
  /** `group` or `group:action`. */
  types?: readonly string[] | undefined;
  integrations?: readonly string[] | undefined;
  connections?: readonly string[] | undefined;
  functions?: readonly string[] | undefined;
  from?: number | undefined;
  to?: number | undefined;
  /**
   * A query in the language of `log/log-query.contract.ts`; its words must occur in the operation or its
   * messages.
   */
  search?: string | undefined;
}

export interface OperationsQuery extends OperationsFilter {
  /** Default 0. */
  offset?: number | undefined;
  /** Default 25. */
  limit?: number | undefined;
  /** Default: at most 10,000 rows are counted. */
  isExactCount?: boolean | undefined;
  /** The value from the first page: later pages then leave out what was stored since. */
  snapshot?: number | undefined;
  /** Default `time`. */
  sort?: 'time' | 'duration' | undefined;
  /** Default `desc`. */
  direction?: 'asc' | 'desc' | undefined;
  groupBy?: 'integration' | 'status' | undefined;
}

export interface MessagesQuery {
  environmentId: number;
  operationId: string;
  levels?: readonly MessageLevel[] | undefined;
  source?: 'internal' | 'user' | undefined;
  type?: 'log' | 'http' | undefined;
  search?: string | undefined;
  /** Default 0. */
  offset?: number | undefined;
  /** Default 50. */
  limit?: number | undefined;
  /** Default: at most 10,000 rows are counted. */
  isExactCount?: boolean | undefined;
  snapshot?: number | undefined;
}

export interface HistogramQuery extends OperationsFilter {
  from: number;
  to: number;
  /** Default by the length of the period. */
  bucketMs?: number | undefined;
  /** IANA name of the zone whose days, and hours of the day, the buckets follow. Default UTC. */
  timeZone?: string | undefined;
}

export interface FilterValuesQuery {
  environmentId: number;
  category: FilterCategory;
  search?: string | undefined;
  /** Only values of operations of this integration. */
  integration?: string | undefined;
}

export type LogQueries = ReturnType<typeof createLogQueries>;

/** Queries of the dashboard about the log. */
export function createLogQueries(use: {
  reader: ReadHandle;
  longReader: ReadHandle;
  operationsStore: OperationsStore;
  messagesStore: MessagesStore;
  wordsStore: LogWordsStore;
  counts: LogCounts;
  clock: Clock;
}) {
  const {
    reader,
    longReader,
    counts,
    clock,
    messagesStore: messages,
    operationsStore: operations,
    wordsStore: words,
  } = use;

  async function toFilter({ search, ...filter }: OperationsFilter, snapshot?: number): Promise<OperationFilter> {
    const { sets, minDurationMs, maxDurationMs, text, excludedTexts } = parseLogQuery(search ?? '');
    const excluded = excludedTexts.flatMap((one) => searchTerms(one) ?? []).slice(0, MAX_TERMS);
    const [terms, excludedTerms] = await Promise.all(
      [searchTerms(text) ?? [], excluded].map((list) => withWholeWords(reader, words, list)),
    );
    return { ...filter, sets, minDurationMs, maxDurationMs, terms, excludedTerms, snapshot };
  }

  /** Calls of MCP clients, the newest first. */
  async function listToolCalls(environmentId: number, limit: number): Promise<LoggedOperation[]> {
    return (await operations.listToolCalls(reader, environmentId, limit)).map(toLoggedOperation);
  }

  async function listOperations(query: OperationsQuery): Promise<
    RowCount & {
      operations: LoggedOperation[];
      snapshot: number;
      /** With `groupBy`. */
      groups: Array<{ value: string; label: string | null; count: number }> | undefined;
    }
  > {
    const snapshot = query.snapshot ?? (await operations.getSnapshot(reader));
    const filter = await toFilter(query, snapshot);
    const order = { by: query.sort ?? 'time', direction: query.direction ?? 'desc' } as const;
    const page = { offset: query.offset ?? 0, limit: query.limit ?? 25 };
    if (order.by === 'time' && query.groupBy === undefined && page.offset >= FAR_OFFSET) {
      const { total } = await operations.count(reader, filter, true);
      const rows = await listFromNearerEnd(filter, order.direction, { ...page, total });
      return { operations: rows.map(toLoggedOperation), total, snapshot, groups: undefined };
    }
    const { groupBy } = query;
    const [rows, count, groups] = await Promise.all([
      listPage(filter, { ...order, ...page, groupBy }),
      countFor(filter, query.isExactCount ?? false),
      groupBy && operations.listGroups(reader, filter, groupBy, MAX_LIST_GROUPS),
    ]);
    const named = groups?.map((group) => ({
      ...group,
      label: group.value === NO_INTEGRATION ? 'No integration' : null,
    }));
    return { operations: rows.map(toLoggedOperation), ...count, snapshot, groups: named };
  }

  /** A word of many messages fills a page with the newest operations, so that the index need not be read whole. */
  async function listPage(filter: OperationFilter, order: OperationOrder): Promise<OperationListRow[]> {
    const isNewestFirst = order.by === 'time' && order.direction === 'desc' && order.groupBy === undefined;
    for (const share of isNewestFirst && filter.terms?.length ? PARTS_OF_PAGES : []) {
      const part = await operations.findNewestPart(reader, filter, (order.offset + order.limit) * share);
      const rows = part && (await operations.list(reader, { ...filter, part }, order));
      if (rows?.length === order.limit) return rows;
    }
    return operations.list(reader, filter, order);
  }

  /** The newest operations may have more than a count says. */
  async function countFor(filter: OperationFilter, isExact: boolean): Promise<RowCount> {
    const part =
      filter.terms?.length && !isExact ? await operations.findNewestPart(reader, filter, PART_OF_COUNT) : undefined;
    const count = part && (await operations.count(reader, { ...filter, part }));
    return count?.isTotalCut ? count : operations.count(reader, filter, isExact);
  }

  /** SQLite reads every row before an offset: the last page is therefore read backwards, from the other end. */
  async function listFromNearerEnd(
    filter: OperationFilter,
    direction: 'asc' | 'desc',
    { offset, limit, total }: { offset: number; limit: number; total: number },
  ): Promise<OperationListRow[]> {
    const end = Math.min(offset + limit, total);
    if (end <= offset) return [];
    if (total - end >= offset) return operations.list(reader, filter, { by: 'time', direction, offset, limit });
    const rows = await operations.list(reader, filter, {
      by: 'time',
      direction: direction === 'asc' ? 'desc' : 'asc',
      offset: total - end,
      limit: end - offset,
    });
    return rows.toReversed();
  }

  async function findOperation(environmentId: number, id: string): Promise<LoggedOperationDetail | undefined> {
    const row = await operations.find(reader, environmentId, id);
    return row && toLoggedDetail(row);
  }

  /** Oldest first; undefined when the operation does not exist. */
  async function listMessages(
    query: MessagesQuery,
  ): Promise<(RowCount & { messages: LoggedMessage[]; snapshot: number }) | undefined> {
    const { search, offset = 0, limit = 50, isExactCount = false, ...filter } = query;
    const page = { offset, limit, isExactCount };
    const found = await messages.list(reader, { ...filter, terms: searchTerms(search) }, page);
    return found && { ...found, messages: found.messages.map(toLoggedMessage) };
  }

  /** The most frequent values of a filter: at most 20, or all integrations. */
  function listFilterValues(query: FilterValuesQuery): Promise<Array<{ key: string; count: number }>> {
    const { environmentId, integration, ...which } = query;
    const of = { environmentId, integrations: integration === undefined ? undefined : [integration] };
    return operations.listValues(longReader, of, {
      ...which,
      limit: which.category === 'integration' ? MOST_INTEGRATIONS : FILTER_VALUES,
    });
  }

  /** Operations by state over a period, with empty buckets; at most 2,000. */
  async function getHistogram(query: HistogramQuery): Promise<ChartOf<HistogramBucket>> {
    const buckets = bucketsOf(query);
    const filter = await toFilter(query);
    const found = await countSpans(buckets, (span, bucket) =>
      operations.listBuckets(longReader, { ...filter, ...span }, bucket),
    );
    return { bucketMs: buckets.sizeMs, buckets: toHistogram(found, buckets), end: buckets.end };
  }

  /** Operations by time, type and state over a period, with empty buckets. */
  async function countActivity(
    query: Pick<HistogramQuery, 'environmentId' | 'from' | 'to' | 'timeZone'>,
  ): Promise<ChartOf<ActivityBucket>> {
    const { environmentId } = query;
    const { sizeMs, first, starts, end, ...cut } = bucketsOf(query);
    const [operationCounts, calls, records] = await Promise.all([
      countSpans({ ...cut, sizeMs }, (span, bucket) =>
        operations.listActivity(longReader, { environmentId, ...span }, bucket),
      ),
      countSpans({ ...cut, sizeMs }, (span, bucket) => counts.proxy.list(reader, { environmentId, ...span }, bucket)),
      countSpans({ ...cut, sizeMs }, (span, bucket) => counts.records.list(reader, { environmentId, ...span }, bucket)),
    ]);
    const countsOf = Map.groupBy(operationCounts, ({ bucket }) => bucket);
    const callsOf = Map.groupBy(calls, ({ bucket }) => bucket);
    const recordsOf = Map.groupBy(records, ({ bucket }) => bucket);
    const buckets = starts.map(
      (at, index): ActivityBucket => ({
        at,
        counts: countsOf.get(first + index) ?? [],
        calls: callsOf.get(first + index) ?? [],
        records: recordsOf.get(first + index) ?? [],
      }),
    );
    return { bucketMs: sizeMs, buckets, end };
  }

  /** The last 14 UTC days of one type (`group` or `group:action`), today last. */
  async function getInsights(environmentId: number, type: string): Promise<InsightsDay[]> {
    const to = clock.now();
    const from = Math.floor(to / DAY_MS - INSIGHTS_DAYS + 1) * DAY_MS;
    const { buckets } = await getHistogram({ environmentId, types: [type], from, to, bucketMs: DAY_MS });
    return buckets.map(toInsightsDay);
  }

  /** See LogCounts. */
  function listCallHours(environmentId: number): ReturnType<LogCounts['listCallHours']> {
    return counts.listCallHours(environmentId);
  }

  /** See LogCounts. */
  function listRunSummaries(environmentId: number, from?: number): Promise<RunSummary[]> {
    return counts.listRunSummaries(environmentId, from);
  }

  return {
    listToolCalls,
    listOperations,
    findOperation,
    listMessages,
    listFilterValues,
    getHistogram,
    countActivity,
    getInsights,
    listCallHours,
    listRunSummaries,
  };
}

const MINUTE_MS = 60_000;
/** No chart shows more points than this (ui.md 16.4). */
const MAX_BUCKETS = 2_000;

type StateCounts = Partial<Record<OperationState, number>>;

/** Bars of a chart, the oldest first; the last one ends at `end`, in milliseconds. */
export interface ChartOf<Bucket> {
  bucketMs: number;
  buckets: Bucket[];
  end: number;
}

export interface HistogramBucket {
  /** Start of the bucket, in milliseconds. */
  at: number;
  total: number;
  states: StateCounts;
}

export interface ActivityBucket {
  /** Start of the bucket, in milliseconds. */
  at: number;
  /** May contain the same type, action and state twice. */
  counts: Array<{ type: string; action: string; state: string; count: number }>;
  /** Proxied requests that have ended; may contain the same provider and class twice. */
  calls: Array<Omit<ProxyCountRow, 'bucket'>>;
  /** Records that operations changed; a bucket in which clocks change has two. */
  records: Array<Omit<RecordCountRow, 'bucket'>>;
}

/** One UTC day (ui.md 7, insights). */
export interface InsightsDay {
  key: string;
  total: number;
  success: number;
  failure: number;
  expired: number;
  cancelled: number;
  running: number;
}

/**
 * A minute for up to six hours, an hour for up to two weeks, else a day; larger when the period would have too many
 * buckets.
 */
export function bucketSizeMs(periodMs: number, requestedMs?: number): number {
  const automatic = periodMs <= 6 * HOUR_MS ? MINUTE_MS : periodMs <= 14 * DAY_MS ? HOUR_MS : DAY_MS;
  return Math.max(Math.trunc(requestedMs ?? automatic), Math.ceil(periodMs / MAX_BUCKETS), 1);
}

function bucketsOf({ from, to, bucketMs, timeZone = 'UTC' }: Omit<HistogramQuery, 'environmentId'>): TimeBuckets {
  return cutPeriod({ from, to, sizeMs: bucketSizeMs(to - from, bucketMs), timeZone });
}

/** Counts each part of the period with the clock offset of that time. */
async function countSpans<Row>(
  { spans, sizeMs }: Pick<TimeBuckets, 'spans' | 'sizeMs'>,
  count: (span: { from: number; to: number }, bucket: { sizeMs: number; offsetMs: number }) => Promise<Row[]>,
): Promise<Row[]> {
  const counted = spans.map(({ from, to, offsetMs }) => count({ from, to }, { sizeMs, offsetMs: -offsetMs }));
  return (await Promise.all(counted)).flat();
}

/** Every bucket of the period, including empty ones. */
export function toHistogram(
  counts: ReadonlyArray<{ bucket: number; state: string; count: number }>,
  { first, starts }: Pick<TimeBuckets, 'first' | 'starts'>,
): HistogramBucket[] {
  const buckets = starts.map((at): HistogramBucket => ({ at, total: 0, states: {} }));
  for (const { bucket, state, count } of counts) {
    const target = buckets[bucket - first];
    if (!target) continue;
    const name = state as OperationState;
    target.total += count;
    target.states[name] = (target.states[name] ?? 0) + count;
  }
  return buckets;
}

export function toInsightsDay({ at, total, states }: HistogramBucket): InsightsDay {
  return {
    key: new Date(at).toISOString().slice(0, 10),
    total,
    success: states.success ?? 0,
    failure: states.failed ?? 0,
    expired: states.timeout ?? 0,
    cancelled: states.cancelled ?? 0,
    running: (states.running ?? 0) + (states.waiting ?? 0),
  };
}
