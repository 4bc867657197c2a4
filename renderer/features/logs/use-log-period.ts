import { useCallback, useMemo, useRef, useState } from 'react';
import type { UrlState } from '../../components/page/use-url-state.ts';
import { useCommands } from '../../components/use-commands.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { edgesOf, listPeriodOf, type Period, readPeriod, shiftPeriod, writePeriod } from '../../lib/period.ts';
import { readStored, writeStored } from '../../lib/stored.ts';

/** How far back a chart without a start goes; older operations are usually removed by then. */
const WITHOUT_BEGINNING_MS = 15 * 86_400_000;

export interface LogPeriod {
  period: Period;
  set: (period: Period) => void;
  /** Doubles the period around its middle. */
  zoomOut: () => void;
  /** The `period` of the list: a start relative to now stays fixed at the moment of the choice. */
  listPeriod: string | undefined;
  /** The moment of the choice, in milliseconds. */
  anchorMs: number;
  /** Start and end of a chart, now. */
  edges: () => { from: number; to: number };
  isLive: boolean;
  toggleLive: () => void;
  isUtc: boolean;
  setUtc: (isUtc: boolean) => void;
}

/** The period in the address, and whether new rows are added as they arrive (ui.md 5.3). */
export function useLogPeriod(url: UrlState): LogPeriod {
  const live = url.get('live');
  const text = url.get('period');
  const period = readPeriod(text, live);
  const [isUtc, setUtc] = useState(() => readStored('logs.utc', false));
  const key = JSON.stringify(period);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another period starts again.
  const anchorMs = useMemo(() => Date.now(), [key]);
  const { from, to } = edgesOf(period, anchorMs);
  const hasEnd = to !== undefined;
  const isLive = period.kind === 'last' || !hasEnd ? live !== 'false' : false;

  const set = useCallback((next: Period) => url.set(writePeriod(next, Date.now())), [url.set]);
  const shift = (by: 1 | -1): boolean => {
    const next = shiftPeriod(period, by, Date.now());
    if (next) set(next);
    return next !== undefined;
  };
  const toggleLive = useCallback((): void => {
    const nowMs = Date.now();
    const current = readPeriod(text, live);
    if (current.kind === 'range' && current.from !== undefined && current.to !== undefined)
      url.set(writePeriod({ kind: 'last', spanMs: current.to - current.from }, nowMs), { replace: true });
    // Without start and end, the address only says that the period is not live.
    else if (text === undefined || current.kind !== 'last')
      url.set({ live: live === 'false' ? '' : 'false' }, { replace: true });
    else url.set(writePeriod({ kind: 'range', from: nowMs - current.spanMs, to: nowMs }, nowMs), { replace: true });
  }, [live, text, url.set]);
  useCommands([
    { ...KEY_MAP.live, run: toggleLive },
    { ...KEY_MAP.earlier, run: () => shift(-1) },
    { ...KEY_MAP.later, run: () => shift(1) },
  ]);

  const latest = useRef(period);
  latest.current = period;
  const edges = useCallback(() => {
    const nowMs = Date.now();
    const { from: begin, to: end = nowMs } = edgesOf(latest.current, nowMs);
    return { from: begin ?? end - WITHOUT_BEGINNING_MS, to: end };
  }, []);
  const zoomOut = (): void => {
    const nowMs = Date.now();
    const { from: begin, to: end } = edges();
    const half = (end - begin) / 2;
    const next = { from: Math.round(begin - half), to: Math.round(end + half) };
    set(next.to >= nowMs ? { kind: 'last', spanMs: nowMs - next.from } : { kind: 'range', ...next });
  };
  return {
    period,
    set,
    zoomOut,
    listPeriod: listPeriodOf(text, { from, to }),
    anchorMs,
    edges,
    isLive,
    toggleLive,
    isUtc,
    setUtc: (next) => {
      setUtc(next);
      writeStored('logs.utc', next);
    },
  };
}
