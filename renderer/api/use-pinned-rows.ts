import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber } from '../lib/format-number.ts';
import { useEventStream } from './events/EventsProvider.tsx';
import type { EventStream } from './events/event-stream.ts';
import { HeldRows, inTurn } from './held-rows.ts';
import { type PagedRows, type PageFetch, usePagedRows } from './use-paged-rows.ts';

export interface PinnedRows<Row> extends PagedRows<Row> {
  /** What arrived since the reader left the top: "12 new". Undefined when nothing did. */
  heldText: string | undefined;
  showHeld: () => void;
  /** False while the reader is further down: the list then stays at its snapshot. */
  setAtTop: (atTop: boolean) => void;
}

export interface PinOptions<Row> {
  /**
   * `onNew` gets the keys of rows that the event stream reports as changed or new, to count those that are held back. Its
   * identity must be stable. Without it no rows are counted; with `countNow` the keys are ignored and the server counts.
   */
  waiting?: {
    rowKey: (row: Row) => string;
    onNew: (stream: EventStream, notify: (key: string) => void) => () => void;
    countNow?: () => Promise<number>;
  };
  /** A snapshot on the server loses rows that change: while the reader is further down, nothing is refetched. */
  isFrozen?: true;
}

const NONE_HELD: HeldRows['count'] = { rows: 0, isFull: false };

/**
 * A list whose rows change and grow while it is read. At its top it follows new rows; further down it is refetched
 * inside its snapshot, so that rows change in place and new ones are held back.
 */
export function usePinnedRows<Row>(
  key: QueryKey,
  fetchPage: PageFetch<Row>,
  { waiting, isFrozen }: PinOptions<Row> = {},
): PinnedRows<Row> {
  const stream = useEventStream();
  const client = useQueryClient();
  const pinned = useRef<string>(undefined);
  const held = useRef<HeldRows>(undefined);
  held.current ??= new HeldRows();
  const [heldCount, setHeldCount] = useState(NONE_HELD);
  /** With `countNow`: the number of additional rows; 0 when rows only changed. */
  const [grown, setGrown] = useState<number>();
  const rows = usePagedRows(
    key,
    (page, signal) => {
      const snapshot = page.snapshot ?? pinned.current;
      return fetchPage({ ...page, ...(snapshot === undefined ? {} : { snapshot }) }, signal);
    },
    () => isFrozen === true && pinned.current !== undefined,
  );
  const latest = useRef({ key, rows });
  latest.current = { key, rows };

  const { rowKey, onNew, countNow } = waiting ?? {};
  useEffect(() => {
    if (!stream || !rowKey || !onNew) return;
    let frame = 0;
    let loaded: { rows: PagedRows<Row>; keys: ReadonlySet<string> } | undefined;
    const isLoaded = (key: string): boolean => {
      const { rows: now } = latest.current;
      if (loaded?.rows !== now) loaded = { rows: now, keys: new Set(now.loadedRows().map(rowKey)) };
      return loaded.keys.has(key);
    };
    const countAgain =
      countNow &&
      inTurn(() =>
        countNow().then(
          (now) => {
            const { total = 0 } = latest.current.rows;
            if (pinned.current !== undefined) setGrown(Math.max(now - total, 0));
          },
          // The next event counts again.
          () => setGrown((old) => old ?? 0),
        ),
      );
    const off = onNew(stream, (changed) => {
      if (pinned.current === undefined) return;
      if (countAgain) countAgain();
      else if (!isLoaded(changed) && held.current?.add(changed)) {
        // Shown once per frame, however fast events arrive.
        frame ||= requestAnimationFrame(() => {
          frame = 0;
          setHeldCount(held.current?.count ?? NONE_HELD);
        });
      }
    });
    return () => {
      off();
      cancelAnimationFrame(frame);
    };
  }, [stream, rowKey, onNew, countNow]);

  const showHeld = useCallback(() => {
    pinned.current = undefined;
    held.current?.clear();
    setHeldCount(NONE_HELD);
    setGrown(undefined);
    void client.invalidateQueries({ queryKey: latest.current.key });
  }, [client]);
  const setAtTop = useCallback(
    (next: boolean) => {
      if (!next) pinned.current ??= latest.current.rows.snapshot;
      else if (pinned.current !== undefined) showHeld();
    },
    [showHeld],
  );
  // Another filter starts at the top, in a snapshot of its own.
  const keyText = JSON.stringify(key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `keyText` is the content of the key, whose identity changes with every render.
  useEffect(() => {
    pinned.current = undefined;
    held.current?.clear();
    setHeldCount(NONE_HELD);
    setGrown(undefined);
  }, [keyText]);
  const count = grown ?? heldCount.rows;
  const more = grown === undefined && heldCount.isFull ? '+' : '';
  const heldText = count > 0 ? `${formatNumber(count)}${more} new` : grown === 0 ? 'Newer changes' : undefined;
  return useMemo(() => ({ ...rows, heldText, showHeld, setAtTop }), [rows, heldText, showHeld, setAtTop]);
}
