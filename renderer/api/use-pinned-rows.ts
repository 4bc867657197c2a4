import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber } from '../lib/format-number.ts';
import { useEventStream } from './events/EventsProvider.tsx';
import type { EventStream } from './events/event-stream.ts';
import { type PagedRows, type PageFetch, usePagedRows } from './use-paged-rows.ts';

export interface PinnedRows<Row> extends PagedRows<Row> {
  /** What came since the reader left the top: "12 new". Undefined when nothing did. */
  heldText: string | undefined;
  showHeld: () => void;
  /** False while the reader is further down: the list then stays at its snapshot. */
  setAtTop: (atTop: boolean) => void;
}

export interface PinOptions<Row> {
  /**
   * `onNew` hears from the stream which rows changed or came, by their keys, for the count of those that wait. All of it
   * stays the same object. Without it none are counted; with `countNow` the key says nothing and the server is asked.
   */
  waiting?: {
    rowKey: (row: Row) => string;
    onNew: (stream: EventStream, notify: (key: string) => void) => () => void;
    countNow?: () => Promise<number>;
  };
  /** A snapshot of the server loses rows that change: while the reader is further down, nothing is fetched again. */
  isFrozen?: true;
}

/**
 * A list whose rows change and grow while it is read. At its top it follows; further down it is fetched again inside the
 * snapshot it has, so that rows change where they stand and new ones wait.
 */
export function usePinnedRows<Row>(
  key: QueryKey,
  fetchPage: PageFetch<Row>,
  { waiting, isFrozen }: PinOptions<Row> = {},
): PinnedRows<Row> {
  const stream = useEventStream();
  const client = useQueryClient();
  const pinned = useRef<string>(undefined);
  const [held, setHeld] = useState<ReadonlySet<string>>(new Set());
  /** With `countNow`: rows more than there were; 0 when some only changed. */
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
    return onNew(stream, (changed) => {
      const { rowAt, total = 0 } = latest.current.rows;
      if (pinned.current === undefined) return;
      if (countNow) {
        // The next event asks again.
        countNow().then(
          (now) => pinned.current !== undefined && setGrown(Math.max(now - total, 0)),
          () => setGrown((old) => old ?? 0),
        );
        return;
      }
      for (let index = 0; index < total; index += 1) {
        const row = rowAt(index);
        if (row && rowKey(row) === changed) return;
      }
      setHeld((old) => new Set(old).add(changed));
    });
  }, [stream, rowKey, onNew, countNow]);

  const showHeld = useCallback(() => {
    pinned.current = undefined;
    setHeld(new Set());
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
  // Another filter begins at its top, in a snapshot of its own.
  const keyText = JSON.stringify(key);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the key, which is new on every render.
  useEffect(() => {
    pinned.current = undefined;
    setHeld(new Set());
    setGrown(undefined);
  }, [keyText]);
  const count = grown ?? held.size;
  const heldText = count > 0 ? `${formatNumber(count)} new` : grown === 0 ? 'Newer changes' : undefined;
  return useMemo(() => ({ ...rows, heldText, showHeld, setAtTop }), [rows, heldText, showHeld, setAtTop]);
}
