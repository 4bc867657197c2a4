import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useEventStream } from './events/EventsProvider.tsx';
import type { EventStream } from './events/event-stream.ts';
import { type PagedRows, type PageFetch, usePagedRows } from './use-paged-rows.ts';

export interface PinnedRows<Row> extends PagedRows<Row> {
  /** Rows that came since the reader left the top. */
  heldCount: number;
  showHeld: () => void;
  /** False while the reader is further down: the list then stays at its snapshot. */
  setAtTop: (atTop: boolean) => void;
}

/**
 * A list whose rows change and grow while it is read. At its top it follows; further down it is fetched again inside the
 * snapshot it has, so that rows change where they stand and new ones wait. `waiting.onNew` hears from the stream which
 * rows changed or came, for the count of those that wait (both functions stay the same); without it none are counted.
 */
export function usePinnedRows<Row>(
  key: QueryKey,
  fetchPage: PageFetch<Row>,
  waiting?: { rowKey: (row: Row) => string; onNew: (stream: EventStream, tell: (key: string) => void) => () => void },
): PinnedRows<Row> {
  const stream = useEventStream();
  const client = useQueryClient();
  const pinned = useRef<string>(undefined);
  const [held, setHeld] = useState<ReadonlySet<string>>(new Set());
  const rows = usePagedRows(key, (page, signal) => {
    const snapshot = page.snapshot ?? pinned.current;
    return fetchPage({ ...page, ...(snapshot === undefined ? {} : { snapshot }) }, signal);
  });
  const latest = useRef({ key, rows });
  latest.current = { key, rows };

  const { rowKey, onNew } = waiting ?? {};
  useEffect(() => {
    if (!stream || !rowKey || !onNew) return;
    return onNew(stream, (changed) => {
      const { rowAt, total = 0 } = latest.current.rows;
      if (pinned.current === undefined) return;
      for (let index = 0; index < total; index += 1) {
        const row = rowAt(index);
        if (row && rowKey(row) === changed) return;
      }
      setHeld((old) => new Set(old).add(changed));
    });
  }, [stream, rowKey, onNew]);

  const showHeld = useCallback(() => {
    pinned.current = undefined;
    setHeld(new Set());
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
  }, [keyText]);
  return useMemo(() => ({ ...rows, heldCount: held.size, showHeld, setAtTop }), [rows, held, showHeld, setAtTop]);
}
