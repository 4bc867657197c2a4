import type { Readable } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { MessagesStore } from '../../stores/messages-store.ts';
import type { FilterCategory, OperationFilter, OperationsStore } from '../../stores/operations-store.ts';
import {
  bucketSizeMs,
  DAY_MS,
  type HistogramBucket,
  type InsightsDay,
  toHistogram,
  toInsightsDay,
} from './log-charts.ts';
import type { LoggedMessage, LoggedOperation, LoggedOperationDetail } from './logged-entries.ts';
import { toLoggedDetail, toLoggedMessage, toLoggedOperation } from './logged-entries.ts';
import type { MessageLevel, OperationState } from './operation.ts';
import { searchTerms } from './search-terms.ts';

const INSIGHTS_DAYS = 14;
const FILTER_VALUES = 20;

/** Which operations; an absent filter lets all pass, times are milliseconds. */
export interface OperationsFilter {
  environmentId: number;
  states?: readonly OperationState[] | undefined;
  /** `group` or `group:action`. */
  types?: readonly string[] | undefined;
  integrations?: readonly string[] | undefined;
  connections?: readonly string[] | undefined;
  functions?: readonly string[] | undefined;
  from?: number | undefined;
  to?: number | undefined;
  /** Words that all have to occur in the operation or its messages; "quoted words" stay together. */
  search?: string | undefined;
}

export interface OperationsQuery extends OperationsFilter {
  /** Default 0. */
  offset?: number | undefined;
  /** Default 25. */
  limit?: number | undefined;
  /** From the first page: later pages then leave out what was stored since. */
  snapshot?: number | undefined;
  /** Default `time`. */
  sort?: 'time' | 'duration' | undefined;
  /** Default `desc`. */
  direction?: 'asc' | 'desc' | undefined;
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
  snapshot?: number | undefined;
}

export interface HistogramQuery extends OperationsFilter {
  from: number;
  to: number;
  /** Default by the length of the period. */
  bucketMs?: number | undefined;
  /** Minutes east of UTC, so that day buckets start at local midnight. Default 0. */
  utcOffsetMinutes?: number | undefined;
}

export interface FilterValuesQuery {
  environmentId: number;
  category: FilterCategory;
  search?: string | undefined;
}

function toFilter({ search, ...filter }: OperationsFilter, snapshot?: number): OperationFilter {
  return { ...filter, terms: searchTerms(search), snapshot };
}

/** What the dashboard asks of the log. */
export class LogQueries {
  readonly #reader: Readable;
  readonly #operations: OperationsStore;
  readonly #messages: MessagesStore;
  readonly #clock: Clock;

  constructor(options: { reader: Readable; operations: OperationsStore; messages: MessagesStore; clock: Clock }) {
    this.#reader = options.reader;
    this.#operations = options.operations;
    this.#messages = options.messages;
    this.#clock = options.clock;
  }

  async listOperations(
    query: OperationsQuery,
  ): Promise<{ operations: LoggedOperation[]; total: number; snapshot: number }> {
    const snapshot = query.snapshot ?? (await this.#operations.getSnapshot(this.#reader));
    const filter = toFilter(query, snapshot);
    const [rows, total] = await Promise.all([
      this.#operations.list(this.#reader, filter, {
        by: query.sort ?? 'time',
        direction: query.direction ?? 'desc',
        offset: query.offset ?? 0,
        limit: query.limit ?? 25,
      }),
      this.#operations.count(this.#reader, filter),
    ]);
    return { operations: rows.map(toLoggedOperation), total, snapshot };
  }

  async findOperation(environmentId: number, id: string): Promise<LoggedOperationDetail | undefined> {
    const row = await this.#operations.find(this.#reader, environmentId, id);
    return row && toLoggedDetail(row);
  }

  /** Oldest first; undefined when the operation does not exist. */
  async listMessages(
    query: MessagesQuery,
  ): Promise<{ messages: LoggedMessage[]; total: number; snapshot: number } | undefined> {
    const { search, offset = 0, limit = 50, ...filter } = query;
    const found = await this.#messages.list(this.#reader, { ...filter, terms: searchTerms(search) }, { offset, limit });
    return found && { ...found, messages: found.messages.map(toLoggedMessage) };
  }

  /** The most frequent values of a filter, at most 20. */
  listFilterValues(query: FilterValuesQuery): Promise<Array<{ key: string; count: number }>> {
    return this.#operations.listValues(this.#reader, { ...query, limit: FILTER_VALUES });
  }

  /** Operations by state over a period, with empty buckets; at most 2,000. */
  async getHistogram(query: HistogramQuery): Promise<{ bucketMs: number; buckets: HistogramBucket[] }> {
    const sizeMs = bucketSizeMs(query.to - query.from, query.bucketMs);
    const offsetMs = -(query.utcOffsetMinutes ?? 0) * 60_000;
    const counts = await this.#operations.listBuckets(this.#reader, toFilter(query), { sizeMs, offsetMs });
    return { bucketMs: sizeMs, buckets: toHistogram(counts, { from: query.from, to: query.to, sizeMs, offsetMs }) };
  }

  /** The last 14 UTC days of one type (`group` or `group:action`), today last. */
  async getInsights(environmentId: number, type: string): Promise<InsightsDay[]> {
    const to = this.#clock.now();
    const from = Math.floor(to / DAY_MS - INSIGHTS_DAYS + 1) * DAY_MS;
    const { buckets } = await this.getHistogram({ environmentId, types: [type], from, to, bucketMs: DAY_MS });
    return buckets.map(toInsightsDay);
  }
}
