import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber } from '../../lib/format-number.ts';
import type { OperationListItem } from '../contract.ts';
import { useEventStream } from '../events/EventsProvider.tsx';
import type { PagedRows } from '../use-paged-rows.ts';
import { type LiveRows, NO_LIVE_ROWS, release, type SnapshotHead, takeRow } from './live-rows.ts';
import { type OperationQuery, useOperations } from './logs-queries.ts';

const FIRST_PAGE = 200;

interface LiveOperations extends PagedRows<OperationListItem> {
  /** How many rows wait to be shown: "12 new". */
  heldText: string | undefined;
  showHeld: () => void;
  /** False while the reader is further down: new rows are then held. */
  setAtTop: (atTop: boolean) => void;
  /** Operations a second that began just now, those that the filter leaves out too. */
  rate: number;
}

function headOf(rows: PagedRows<OperationListItem>): SnapshotHead {
  const ids = new Set<string>();
  for (let index = 0; index < Math.min(FIRST_PAGE, rows.total ?? 0); index += 1) {
    const row = rows.rowAt(index);
    if (row) ids.add(row.id);
  }
  return { ids, oldest: (rows.total ?? 0) > FIRST_PAGE ? rows.rowAt(FIRST_PAGE - 1)?.createdAt : undefined };
}

/** The log with live rows above its snapshot. Events are taken in once a frame, however fast they come. */
export function useLiveOperations(filter: OperationQuery, isLive: boolean): LiveOperations {
  const rows = useOperations(filter);
  const stream = useEventStream();
  const [live, setLive] = useState<LiveRows>(NO_LIVE_ROWS);
  const atTop = useRef(true);
  const context = useRef({ filter, rows });
  context.current = { filter, rows };

  const { rate, note } = useRate(isLive);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new snapshot holds all earlier live rows.
  useEffect(() => setLive(NO_LIVE_ROWS), [rows.snapshot]);

  useEffect(() => {
    if (!stream || !isLive) return;
    let queue: OperationListItem[] = [];
    let frame = 0;
    const flush = (): void => {
      frame = 0;
      const arrived = queue;
      queue = [];
      const { filter: current, rows: page } = context.current;
      const head = headOf(page);
      const isHolding = !atTop.current || (current.sort ?? '-time') !== '-time';
      setLive((old) => arrived.reduce((sum, row) => takeRow(sum, row, { filter: current, head, isHolding }), old));
    };
    const off = stream.on('operation', (row) => {
      queue.push(row);
      note(row);
      frame ||= requestAnimationFrame(flush);
    });
    return () => {
      off();
      cancelAnimationFrame(frame);
    };
  }, [stream, isLive, note]);

  const { showRange, rowAt, total, retry } = rows;
  const isSorted = (filter.sort ?? '-time') !== '-time';
  const needsSnapshot = isSorted || live.overflow > 0;
  const showHeld = useCallback(() => (needsSnapshot ? retry() : setLive(release)), [needsSnapshot, retry]);
  const setAtTop = useCallback((next: boolean) => {
    atTop.current = next;
    if (next) setLive(release);
  }, []);
  // Rows beyond the limit are not needed while the list stands at the top.
  const isFull = live.overflow > 0 && live.held.length === 0;
  useEffect(() => {
    if (isFull) retry();
  }, [isFull, retry]);
  return useMemo(() => {
    const above = live.shown.length;
    return {
      ...rows,
      total: total === undefined ? undefined : total + above,
      rowAt: (index: number) => {
        if (index < above) return live.shown[index];
        const row = rowAt(index - above);
        return row && (live.changed.get(row.id) ?? row);
      },
      showRange: (first: number, last: number) => showRange(Math.max(first - above, 0), Math.max(last - above, 0)),
      heldText: live.held.length > 0 ? `${formatNumber(live.held.length + live.overflow)} new` : undefined,
      showHeld,
      setAtTop,
      rate,
    };
  }, [rows, total, rowAt, showRange, live, showHeld, setAtTop, rate]);
}

/** How many operations began in the last second. */
function useRate(isOn: boolean): { rate: number; note: (row: OperationListItem) => void } {
  const [rate, setRate] = useState(0);
  const began = useRef(new Set<string>());
  const note = useCallback((row: OperationListItem) => {
    if (row.endedAt === null || Date.parse(row.createdAt) > Date.now() - 2000) began.current.add(row.id);
  }, []);
  useEffect(() => {
    if (!isOn) return setRate(0);
    const timer = setInterval(() => {
      setRate(began.current.size);
      began.current = new Set();
    }, 1000);
    return () => clearInterval(timer);
  }, [isOn]);
  return { rate, note };
}
