import {
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  queryOptions,
  usePrefetchQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ShownGroup } from '../lib/list-groups.ts';
import { pageKeys } from './query-keys.ts';

const PAGE_SIZE = 200;
const KEPT_PAGES = 20;

interface Page<Row> {
  data: Row[];
  total: number;
  snapshot: string;
  /** With a grouped list. */
  groups?: ShownGroup[] | undefined;
}

interface PageRequest {
  offset: number;
  limit: number;
  snapshot?: string;
  /** The first page: the scroll bar needs the exact number of rows. */
  count?: 'exact';
}

export type PageFetch<Row> = (page: PageRequest, signal: AbortSignal) => Promise<Page<Row>>;

export interface PagedRows<Row> {
  /** Undefined until the first page has arrived. */
  total: number | undefined;
  /** Undefined while the page of the row is being fetched. */
  rowAt: (index: number) => Row | undefined;
  /** The rows that `rowAt` has now. */
  loadedRows: () => Row[];
  error: Error | null;
  retry: () => void;
  /** Reports which rows are visible; requests for other pages are cancelled. */
  showRange: (first: number, last: number) => void;
  /** Reports single visible rows, where others between them are not shown. */
  showRows: (rows: readonly number[]) => void;
  /** Of a grouped list, in the order of its rows. */
  groups: ShownGroup[] | undefined;
  /** True while rows of the previous filter are shown. */
  isStale: boolean;
  snapshot: string | undefined;
  /** Resolves to all rows of the snapshot, up to this number. */
  readAll: (most: number) => Promise<Row[]>;
}

/** Drops the pages that have been out of view longest. */
function trimPages(client: QueryClient, key: QueryKey): void {
  const idle = client.getQueryCache().findAll({ queryKey: key, type: 'inactive' });
  idle.sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  for (const query of idle.slice(KEPT_PAGES)) client.removeQueries({ queryKey: query.queryKey, exact: true });
}

/** The rows of the pages that are wanted: as just read, otherwise as last known. Other pages are dropped. */
export function pagesInView<Row>(
  wanted: readonly number[],
  read: ReadonlyArray<readonly Row[] | undefined>,
  known: ReadonlyMap<number, readonly Row[]>,
): Map<number, readonly Row[]> {
  const pages = new Map<number, readonly Row[]>();
  wanted.forEach((page, index) => {
    const rows = read[index] ?? known.get(page);
    if (rows) pages.set(page, rows);
  });
  return pages;
}

/**
 * Rows of a long list by index: the first page fixes count and snapshot; further pages of 200 inside that snapshot are
 * fetched as the reader scrolls to them.
 */
export function usePagedRows<Row>(
  key: QueryKey,
  fetchPage: PageFetch<Row>,
  /** While true, loaded rows are not refetched. */
  isFrozen: () => boolean = () => false,
): PagedRows<Row> {
  const client = useQueryClient();
  const [pages, setPages] = useState<readonly number[]>([]);
  const firstPage = queryOptions({
    queryKey: pageKeys.first(key),
    queryFn: ({ signal }) => fetchPage({ offset: 0, limit: PAGE_SIZE, count: 'exact' }, signal),
  });
  // Fetched during the first render; `useQuery` alone fetches after it, 100 ms later in a cold page.
  usePrefetchQuery(firstPage);
  const first = useQuery({
    ...firstPage,
    placeholderData: keepPreviousData,
    enabled: (query) => query.state.data === undefined || !isFrozen(),
  });
  const snapshot = first.data?.snapshot;
  const others = useQueries({
    queries: (snapshot === undefined || first.isPlaceholderData ? [] : pages).map((page) => ({
      queryKey: pageKeys.further(key, snapshot, page),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        fetchPage({ offset: page * PAGE_SIZE, limit: PAGE_SIZE, snapshot: snapshot ?? '' }, signal),
      staleTime: Number.POSITIVE_INFINITY,
      enabled: (query: { state: { data: unknown } }) => query.state.data === undefined || !isFrozen(),
    })),
    combine: (results) => results.map((result) => result.data),
  });
  const keyText = JSON.stringify(key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `keyText` is the content of the key, whose identity changes with every render.
  useEffect(() => trimPages(client, key), [client, keyText, pages]);

  const showPages = useCallback((wanted: readonly number[]) => {
    setPages((old) => (old.join() === wanted.join() ? old : wanted));
  }, []);
  const showRange = useCallback(
    (from: number, to: number) => {
      const wanted: number[] = [];
      for (let page = Math.floor(from / PAGE_SIZE); page <= Math.floor(to / PAGE_SIZE); page += 1) {
        if (page > 0) wanted.push(page);
      }
      showPages(wanted);
    },
    [showPages],
  );
  const showRows = useCallback(
    (rows: readonly number[]) => {
      showPages([...new Set(rows.map((row) => Math.floor(row / PAGE_SIZE)))].filter((page) => page > 0));
    },
    [showPages],
  );
  const data = first.data?.data;
  // A new snapshot has other pages: the previous rows are shown until its first page has arrived.
  const known = useRef<{ keyText: string; pages: ReadonlyMap<number, readonly Row[]> }>({ keyText, pages: new Map() });
  const inView = useMemo(() => {
    const before = known.current.keyText === keyText ? known.current.pages : new Map<number, readonly Row[]>();
    const read = others.map((page) => page?.data);
    return pagesInView(pages, read, before);
  }, [keyText, pages, others]);
  known.current = { keyText, pages: inView };
  const rowAt = useCallback(
    (index: number) => {
      if (index < PAGE_SIZE) return data?.[index];
      return inView.get(Math.floor(index / PAGE_SIZE))?.[index % PAGE_SIZE];
    },
    [data, inView],
  );
  const loadedRows = useCallback(() => [...(data ?? []), ...[...inView.values()].flat()], [data, inView]);
  const { refetch, error, isPlaceholderData } = first;
  const { total, groups } = first.data ?? {};
  const latest = useRef({ key, fetchPage });
  latest.current = { key, fetchPage };
  const readAll = useCallback(
    async (most: number) => {
      const rows = [...(data ?? [])];
      const { key: list, fetchPage: fetchNext } = latest.current;
      while (rows.length < Math.min(total ?? 0, most)) {
        const page = Math.floor(rows.length / PAGE_SIZE);
        const next = await client.fetchQuery({
          queryKey: pageKeys.further(list, snapshot, page),
          queryFn: ({ signal }) =>
            fetchNext({ offset: page * PAGE_SIZE, limit: PAGE_SIZE, snapshot: snapshot ?? '' }, signal),
          staleTime: Number.POSITIVE_INFINITY,
        });
        if (next.data.length === 0) break;
        rows.push(...next.data);
      }
      return rows.slice(0, most);
    },
    [client, data, total, snapshot],
  );
  return useMemo(
    () => ({
      total,
      rowAt,
      loadedRows,
      error,
      retry: () => void refetch(),
      showRange,
      showRows,
      groups,
      isStale: isPlaceholderData,
      snapshot,
      readAll,
    }),
    [total, rowAt, loadedRows, error, refetch, showRange, showRows, groups, isPlaceholderData, snapshot, readAll],
  );
}
