import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useEventStream } from './events/EventsProvider.tsx';
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
 * snapshot it has, so that rows change where they stand and new ones wait. Events of `direction` name what changed or came.
 */
export function usePinnedRows<Row extends { id: string }>(
  key: QueryKey,
  fetchPage: PageFetch<Row>,
  direction: 'incoming' | 'outgoing',
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

  useEffect(
    () =>
      stream?.on('webhook', (changed) => {
        const { id } = changed;
        const { rowAt, total = 0 } = latest.current.rows;
        if (pinned.current === undefined || changed.direction !== direction) return;
        for (let index = 0; index < total; index += 1) if (rowAt(index)?.id === id) return;
        setHeld((old) => new Set(old).add(id));
      }),
    [stream, direction],
  );

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
