import { type ChartPoint, type ChartSeries, sumOf } from '../../lib/activity-series.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { formatBareDay, formatMinutes, formatSeconds } from '../../lib/format-time.ts';
import { PlainTable } from '../table/PlainTable.tsx';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

interface MomentOptions {
  /** All bars of the chart: the time gets a day when they cover several. */
  shortOf?: readonly ChartPoint[];
  isUtc?: boolean;
}

/** The time at which a bar begins: the day for days, otherwise the clock time, with its day unless all bars are of one day. */
export function momentOf(at: string, sizeMs: number, { shortOf, isUtc = false }: MomentOptions = {}): string {
  if (sizeMs >= DAY_MS) return formatBareDay(Date.parse(at), isUtc);
  const date = new Date(at);
  const time = sizeMs < MINUTE_MS ? formatSeconds : formatMinutes;
  const spanMs = shortOf ? Date.parse(shortOf.at(-1)?.at ?? at) - Date.parse(shortOf[0]?.at ?? at) : 0;
  if (shortOf) return spanMs > 2 * DAY_MS ? formatBareDay(date, isUtc) : time(date, isUtc);
  return `${formatBareDay(date, isUtc)}, ${time(date, isUtc)}`;
}

/** The numbers of a chart; empty times are left out. */
export function ChartTable({
  title,
  series,
  points,
  bucketMs,
  isUtc = false,
  format = formatNumber,
}: {
  title: string;
  series: ChartSeries[];
  points: ChartPoint[];
  bucketMs: number;
  isUtc?: boolean;
  format?: (value: number) => string;
}) {
  const busy = points.filter(({ values }) => sumOf(values) > 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className="note scroll" style={{ height: 128 }} aria-label={`${title} as a table`} tabIndex={0}>
      <PlainTable className="dense" head={['Time', ...series.map(({ name }) => name)]} hasFigures>
        {busy.map(({ at, values }) => (
          <tr key={at}>
            <th scope="row">{momentOf(at, bucketMs, { isUtc })}</th>
            {series.map(({ name }, index) => (
              <td key={name}>{format(values[index] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </PlainTable>
      {busy.length === 0 && <p className="faint">Nothing happened in this period.</p>}
    </section>
  );
}
