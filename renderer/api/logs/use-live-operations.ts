import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { formatNumber } from '../../lib/format-number.ts';
import type { OperationListItem } from '../contract.ts';
import { useEventStream } from '../events/EventsProvider.tsx';
import type { PagedRows } from '../use-paged-rows.ts';
import {
  type LiveRows,
  MAX_LIVE_ROWS,
  mayMatchByMessages,
  NO_LIVE_ROWS,
  rebase,
  release,
  type SnapshotHead,
  takeRow,
} from './live-rows.ts';
import { type OperationQuery, useOperations } from './logs-queries.ts';

const FIRST_PAGE = 200;
/** At the top, a new snapshot is fetched before the live rows run out, so that no row is missing meanwhile. */
const RENEW_AT = MAX_LIVE_ROWS / 2;
/** Events of a busy hub are drawn this often: more often is only work. The first one after a pause is drawn at once. */
const DRAW_EVERY_MS = 250;
/** The time from an operation that the server has to search to the next snapshot. */
const SEARCH_AGAIN_MS = 1000;

interface LiveOperations extends PagedRows<OperationListItem> {
  /** Number of rows that are held back: "12 new". */
  heldText: string | undefined;
  showHeld: () => void;
  /** False while the reader is further down: new rows are then held back. */
  setAtTop: (atTop: boolean) => void;
  /** Operations per second that begin now, including those that the filter excludes. */
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

/** New rows can be added at the top. */
const isByTime = ({ sort = '-time', groupBy }: OperationQuery): boolean => sort === '-time' && groupBy === undefined;

/** The log with live rows above its snapshot. Events are applied four times a second at most, however fast they arrive. */
export function useLiveOperations(filter: OperationQuery, isLive: boolean): LiveOperations {
  const rows = useOperations(filter);
  const stream = useEventStream();
  const [live, setLive] = useState<LiveRows>(NO_LIVE_ROWS);
  const [below, setBelow] = useState(rows.snapshot);
  const atTop = useRef(true);
  const latest = useEffectEvent(() => ({ filter, rows }));

  const { rate, note } = useRate(isLive);

  // During rendering, not in an effect: otherwise rows of the new snapshot would be in the list twice for a moment.
  if (below !== rows.snapshot) {
    setBelow(rows.snapshot);
    setLive((old) => (isByTime(filter) ? rebase(old, { filter, head: headOf(rows) }) : NO_LIVE_ROWS));
  }

  useEffect(() => {
    if (!stream || !isLive) return;
    /** Newest state by id. Bounded: a hidden tab draws no frame that would empty it. */
    let queue = new Map<string, OperationListItem>();
    let isCut = false;
    let frame = 0;
    let drawnAt = Number.NEGATIVE_INFINITY;
    let drawing: ReturnType<typeof setTimeout> | undefined;
    let searching: ReturnType<typeof setTimeout> | undefined;
    const searchAgain = (): void => {
      searching = atTop.current ? undefined : setTimeout(searchAgain, SEARCH_AGAIN_MS);
      if (atTop.current) latest().rows.retry();
    };
    const flush = (): void => {
      frame = 0;
      drawnAt = performance.now();
      const arrived = [...queue.values()];
      queue = new Map();
      const { filter: current, rows: page } = latest();
      const head = headOf(page);
      const isHolding = !atTop.current || !isByTime(current);
      if (arrived.some((row) => !head.ids.has(row.id) && mayMatchByMessages(row, current)))
        searching ??= setTimeout(searchAgain, SEARCH_AGAIN_MS);
      const wasCut = isCut;
      isCut = false;
      setLive((old) => {
        const next = arrived.reduce((sum, row) => takeRow(sum, row, { filter: current, head, isHolding }), old);
        return wasCut ? { ...next, isCut: true } : next;
      });
    };
    const draw = (): void => {
      drawing = undefined;
      frame = requestAnimationFrame(flush);
    };
    const off = stream.on('operation', (row) => {
      if (queue.has(row.id) || queue.size < MAX_LIVE_ROWS) queue.set(row.id, row);
      else isCut = true;
      note(row);
      if (frame !== 0 || drawing !== undefined) return;
      const waitMs = drawnAt + DRAW_EVERY_MS - performance.now();
      if (waitMs > 0) drawing = setTimeout(draw, waitMs);
      else draw();
    });
    return () => {
      off();
      cancelAnimationFrame(frame);
      clearTimeout(drawing);
      clearTimeout(searching);
    };
  }, [stream, isLive, note]);

  const { showRange, rowAt, total, retry } = rows;
  const needsSnapshot = !isByTime(filter) || live.isCut;
  const showHeld = useCallback(() => (needsSnapshot ? retry() : setLive(release)), [needsSnapshot, retry]);
  const setAtTop = useCallback((next: boolean) => {
    atTop.current = next;
    if (next) setLive(release);
  }, []);
  const isFull = live.held.length === 0 && (live.isCut || live.shown.length >= RENEW_AT);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a snapshot that was requested before rows were dropped is not new enough.
  useEffect(() => {
    if (isFull) retry();
  }, [isFull, live.isCut, retry]);
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
      loadedRows: () => [...live.shown, ...rows.loadedRows()],
      showRange: (first: number, last: number) => showRange(Math.max(first - above, 0), Math.max(last - above, 0)),
      heldText: live.held.length > 0 ? `${formatNumber(live.held.length)}${live.isCut ? '+' : ''} new` : undefined,
      showHeld,
      setAtTop,
      rate,
    };
  }, [rows, total, rowAt, showRange, live, showHeld, setAtTop, rate]);
}

/** The number of operations that began in the last second. */
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
