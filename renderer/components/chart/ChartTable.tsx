import { type ChartPoint, type ChartSeries, sumOf } from '../../lib/activity-series.ts';
import { formatNumber } from '../../lib/format-number.ts';
import classes from './BarChart.module.css';

const DAY_MS = 86_400_000;
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** The moment a bar begins: the day for days, else the clock, with the day before it unless all bars are of one day. */
export function momentOf(at: string, sizeMs: number, shortOf?: readonly ChartPoint[]): string {
  const date = new Date(at);
  if (sizeMs >= DAY_MS) return day.format(date);
  const spanMs = shortOf ? Date.parse(shortOf.at(-1)?.at ?? at) - Date.parse(shortOf[0]?.at ?? at) : 0;
  if (shortOf) return spanMs > 2 * DAY_MS ? day.format(date) : clock.format(date);
  return `${day.format(date)}, ${clock.format(date)}`;
}

/** The numbers of a chart; times at which nothing happened are left out. */
export function ChartTable({
  title,
  series,
  points,
  bucketMs,
}: {
  title: string;
  series: ChartSeries[];
  points: ChartPoint[];
  bucketMs: number;
}) {
  const busy = points.filter(({ values }) => sumOf(values) > 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={classes['scroll']} aria-label={`${title} as a table`} tabIndex={0}>
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {busy.map(({ at, values }) => (
            <tr key={at}>
              <th scope="row">{momentOf(at, bucketMs)}</th>
              {series.map(({ name }, index) => (
                <td key={name}>{formatNumber(values[index] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {busy.length === 0 && <p className="faint">Nothing happened in this time.</p>}
    </section>
  );
}
