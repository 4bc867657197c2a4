import { ActionIcon, Tooltip } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useId, useState } from 'react';
import { type ChartPoint, type ChartSeries, condense, sumOf, ticksUpTo, toCsv } from '../../lib/activity-series.ts';
import { formatBytes, formatNumber, formatRounded } from '../../lib/format-number.ts';
import { CopyButton } from '../CopyButton.tsx';
import classes from './BarChart.module.css';
import { ChartTable, momentOf } from './ChartTable.tsx';

const DAY_MS = 86_400_000;
const HEIGHT = 128;
const TOP = 6;
const BOTTOM = 20;
/** Width of a bar with its gap; when there are too many bars, adjacent ones are added up. */
const MIN_STEP_PX = 5;
const MAX_BAR_WIDTH = 8;

interface BarChartProps {
  title: string;
  series: ChartSeries[];
  points: ChartPoint[];
  bucketMs: number;
  /** When the last bar ends, in milliseconds. */
  end: number;
  /** The position of the pointer or of the arrow keys, in milliseconds; shared between charts, null for none. */
  cursor: number | null;
  onCursor: (at: number | null) => void;
  /** Called with the chosen bar or range of bars; both ends in milliseconds. */
  onPick: (from: number, to: number) => void;
  /** The text when there are no bars. */
  hint: ReactNode;
  /** Shown in place of the title, when a control beside it says the rest. */
  heading?: string;
  choice?: ReactNode;
  /** The unit of the values; counts by default. */
  unit?: ChartUnit;
}

/** How a chart writes its values. */
export interface ChartUnit {
  format: (value: number) => string;
  /** Beside a line of the grid. */
  short: (value: number) => string;
  /** Pixels that `short` needs before the bars begin, with the gap to them. */
  left: number;
  /** What is there at a moment, and does not add up over time. */
  isLevel: boolean;
}

const COUNTS: ChartUnit = {
  format: formatNumber,
  short: (value) => (value >= 1000 ? `${formatRounded(value / 1000, 1)} k` : formatNumber(value)),
  left: 36,
  isLevel: false,
};

export const BYTES: ChartUnit = {
  format: formatBytes,
  short: (value) => formatBytes(value).replace(/[.,]0 /, ' '),
  left: 48,
  isLevel: true,
};

/** The sum of counts; the last known value of levels. */
const totalOf = (points: readonly ChartPoint[], { isLevel }: ChartUnit): number => {
  const values = points.map((point) => sumOf(point.values));
  return isLevel ? (values.findLast((value) => value > 0) ?? 0) : sumOf(values);
};

interface BarsProps extends BarChartProps {
  total: number;
  /** Pixels; 128 by default. */
  height?: number;
  /** What Enter does with the chosen bars; "opens the log" by default. */
  enterDoes?: string;
  /** Times in UTC instead of the shown zone. */
  isUtc?: boolean;
}

/** Stacked bars over time, with the same numbers as a table. Arrow keys move between bars, Enter opens one. */
export function BarChart(props: BarChartProps) {
  const { title, heading = title, choice, series, points, unit = COUNTS } = props;
  const [isTable, setTable] = useState(false);
  const total = totalOf(points, unit);
  const SwitchIcon = isTable ? IconChartBar : IconTable;
  const toggle = isTable ? 'Show as a chart' : 'Show as a table';
  return (
    <section className="stack card" style={{ padding: '12px 16px' }} aria-label={title}>
      <header className="row gap-4">
        <h2 style={{ flex: 1 }}>{heading}</h2>
        {choice}
        <CopyButton value={toCsv(series, points)} label={`Copy ${title} as CSV`} />
        <Tooltip label={toggle}>
          <ActionIcon
            size={24}
            aria-label={`${toggle}: ${title}`}
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            <SwitchIcon size={14} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </header>
      <div className={classes['sum']}>
        {/* Without points, the numbers are not known yet. */}
        <strong className="strong numbers">{points.length === 0 ? '\u00a0' : unit.format(total)}</strong>
        {series.length > 1 && (
          <ul className="soft tiny flex wrap" style={{ gap: '2px 12px', justifyContent: 'flex-end' }}>
            {series.map(({ name, fill }) => (
              <li className="row gap-6" key={name}>
                <i className={`rigid ${classes['swatch']}`} data-fill={fill} aria-hidden />
                {name}
              </li>
            ))}
          </ul>
        )}
      </div>
      {isTable ? <ChartTable {...props} format={unit.format} /> : <Bars {...props} total={total} />}
    </section>
  );
}

/** The bars alone. Shift with the arrow keys selects several, as dragging does. */
export function Bars({
  title,
  series,
  points,
  bucketMs,
  end,
  cursor,
  onCursor,
  onPick,
  hint,
  total,
  unit = COUNTS,
  ...look
}: BarsProps) {
  const { height = HEIGHT, enterDoes = 'opens the log', isUtc = false } = look;
  const plot = height - TOP - BOTTOM;
  const { left } = unit;
  const { ref, width } = useElementSize();
  const pattern = useId();
  const [dragFrom, setDragFrom] = useState<number>();
  const [isOwn, setOwn] = useState(false);
  // Before the chart is measured every bar is there, so that a key already finds the one that it names.
  const most = width === 0 ? points.length : Math.max(Math.floor((width - left) / MIN_STEP_PX), 1);
  const { bars, sizeMs } = condense(points, bucketMs, most, unit.isLevel);
  const step = bars.length === 0 ? 0 : Math.max(width - left, 0) / bars.length;
  const fine = ticksUpTo(Math.max(...bars.map(({ values }) => sumOf(values)), 0));
  const top = fine.at(-1) ?? 1;
  // A low chart has room for its highest value only.
  const ticks = height < HEIGHT ? [0, top] : fine;
  const yOf = (value: number): number => TOP + plot - (value / top) * plot;
  const startOf = (index: number): number => Date.parse(bars[index]?.at ?? '');
  const active = cursor === null ? -1 : bars.findLastIndex(({ at }) => Date.parse(at) <= cursor);
  const last = bars.length - 1;
  const moveTo = (index: number): void => {
    setOwn(true);
    onCursor(startOf(Math.min(Math.max(index, 0), last)));
  };
  const leave = (): void => {
    setOwn(false);
    setDragFrom(undefined);
    onCursor(null);
  };
  // Where clocks change, a day is longer or shorter than `sizeMs`: a bar ends where the next one begins.
  const endOf = (index: number): number => (index < last ? startOf(index + 1) : end) - 1;
  const pick = (a: number, b: number): void => onPick(startOf(Math.min(a, b)), endOf(Math.max(a, b)));
  const indexAt = (event: PointerEvent<HTMLElement>): number => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
    return Math.min(Math.max(Math.floor(x / step), 0), last);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const from = active < 0 ? last + 1 : active;
    const isArrow = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
    if (isArrow && active >= 0) setDragFrom(event.shiftKey ? (dragFrom ?? active) : undefined);
    if (event.key === 'ArrowLeft') moveTo(from - 1);
    else if (event.key === 'ArrowRight') moveTo(active < 0 ? 0 : active + 1);
    else if (event.key === 'Home') moveTo(0);
    else if (event.key === 'End') moveTo(last);
    else if (event.key === 'Enter' && active >= 0) {
      if (total > 0) pick(dragFrom ?? active, active);
      setDragFrom(undefined);
    } else if (event.key === 'Escape' && active >= 0) leave();
    else return;
    event.preventDefault();
  };
  const firstShown = Math.min(dragFrom ?? active, active);
  const lastShown = Math.max(dragFrom ?? active, active);
  const isLeft = active > last / 2;
  // The selected bars as one.
  const [shown] = active < 0 ? [] : condense(bars.slice(firstShown, lastShown + 1), sizeMs, 1, unit.isLevel).bars;
  const moment = (ms: number): string => momentOf(new Date(ms).toISOString(), sizeMs, { isUtc });
  // Days include the last one; a time of day is the one at which the last bar ends.
  const until = firstShown < lastShown ? ` to ${moment(endOf(lastShown) + (sizeMs < DAY_MS ? 1 : 0))}` : '';
  const when = shown ? `${moment(Date.parse(shown.at))}${until}` : '';
  const said = shown ? `${when}: ${describe(series, shown.values, unit)}` : 'No bar chosen';
  const sum = last < 0 ? '' : `, ${unit.format(total)} ${unit.isLevel ? 'at the end' : 'in total'}`;
  return (
    <div
      ref={ref}
      className={classes['plot']}
      style={{ height }}
      role="slider"
      tabIndex={0}
      aria-label={`${title}${sum}. Arrow keys move between the bars, with Shift they select several, Enter ${enterDoes}.`}
      aria-valuemin={0}
      aria-valuemax={Math.max(last, 0)}
      aria-valuenow={Math.max(active, 0)}
      aria-valuetext={said}
      onKeyDown={onKeyDown}
      onBlur={leave}
      onPointerMove={(event) => moveTo(indexAt(event))}
      onPointerLeave={leave}
      onPointerDown={(event) => setDragFrom(indexAt(event))}
      onPointerUp={(event) => {
        if (dragFrom !== undefined && total > 0) pick(dragFrom, indexAt(event));
        setDragFrom(undefined);
      }}
    >
      <svg width={width} height={height} aria-hidden focusable={false}>
        <Patterns id={pattern} />
        {ticks.map((tick, index) => (
          <g key={tick}>
            <line className={classes['grid']} x1={left} x2={width} y1={yOf(tick)} y2={yOf(tick)} />
            {last >= 0 && (ticks.length < 6 || index % 2 === 0) && (
              <text className={`numbers ${classes['axis']}`} x={left - 8} y={yOf(tick) + 4} textAnchor="end">
                {unit.short(tick)}
              </text>
            )}
          </g>
        ))}
        {dragFrom !== undefined && active >= 0 && (
          <rect
            className={classes['range']}
            x={left + firstShown * step}
            y={TOP}
            width={(lastShown - firstShown + 1) * step}
            height={plot}
          />
        )}
        {active >= 0 && (
          <rect className={classes['cursor']} x={left + active * step} y={TOP} width={step} height={plot} />
        )}
        {bars.map((bar, index) => (
          <Bar key={bar.at} bar={bar} x={left + (index + 0.5) * step} step={step} {...{ series, yOf, pattern }} />
        ))}
        {labelled(bars, width - left).map((index) => (
          <text
            key={index}
            className={`numbers ${classes['axis']}`}
            x={left + (index + 0.5) * step}
            y={height - 4}
            textAnchor="middle"
          >
            {momentOf(bars[index]?.at ?? '', sizeMs, { shortOf: bars, isUtc })}
          </text>
        ))}
      </svg>
      {total === 0 && (
        <p className="faint note" style={{ position: 'absolute', inset: '24px 16px auto 44px' }}>
          {hint}
        </p>
      )}
      {shown && isOwn && total > 0 && (
        <div
          className={`stack gap-2 note ${classes['tip']}`}
          data-side={isLeft ? 'left' : undefined}
          style={{ '--x': `${left + ((isLeft ? firstShown : lastShown) + 0.5) * step}px` } as CSSProperties}
        >
          <b className="name">{when}</b>
          {series.map(({ name, fill }, index) => (
            <span className="row gap-6 soft one-line" key={name}>
              <i className={`rigid ${classes['swatch']}`} data-fill={fill} />
              {name}
              <em className="numbers right grow">{unit.format(shown.values[index] ?? 0)}</em>
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

interface BarProps {
  bar: ChartPoint;
  x: number;
  step: number;
  series: ChartSeries[];
  yOf: (value: number) => number;
  pattern: string;
}

function Bar({ bar, x, step, series, yOf, pattern }: BarProps) {
  const width = Math.min(MAX_BAR_WIDTH, Math.max(step - 2, 2));
  let below = 0;
  return (
    <g>
      {bar.values.map((value, index) => {
        const name = series[index]?.name ?? '';
        const fill = series[index]?.fill ?? 'success';
        const from = below;
        below += value;
        if (value === 0) return null;
        // A single event among thousands must stay visible.
        const height = Math.max(yOf(from) - yOf(below), 1.5);
        const box = { x: x - width / 2, y: yOf(from) - height, width, height, rx: 1 };
        const isPatterned = fill === 'failed' || fill === 'timeout' || fill === 'extra';
        return (
          <g key={name}>
            <rect className={classes['bar']} data-fill={fill} {...box} />
            {isPatterned && <rect fill={`url(#${pattern}-${fill})`} {...box} />}
          </g>
        );
      })}
    </g>
  );
}

/** Drawn over the colour, so that series differ by more than colour (look/README, Charts). */
function Patterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={`${id}-failed`} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className={classes['mark']} width="1.5" height="4" />
      </pattern>
      <pattern id={`${id}-timeout`} width="4" height="4" patternUnits="userSpaceOnUse">
        <circle className={classes['mark']} cx="2" cy="2" r="1" />
      </pattern>
      <pattern id={`${id}-extra`} width="4" height="4" patternUnits="userSpaceOnUse">
        <rect className={classes['mark']} width="4" height="1.5" />
      </pattern>
    </defs>
  );
}

function describe(series: readonly ChartSeries[], values: readonly number[], { format, isLevel }: ChartUnit): string {
  const textOf = (value: number): string => (isLevel ? format(value) : `${value}`);
  const parts = series.flatMap(({ name }, index) => (values[index] ? [`${textOf(values[index])} ${name}`] : []));
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

const LABEL_WIDTH = 64;

/** The bars with a time label below: evenly spaced, none cut at the edges. */
function labelled(bars: readonly ChartPoint[], width: number): number[] {
  if (bars.length === 0 || width <= 0) return [];
  const every = Math.max(Math.ceil((bars.length * LABEL_WIDTH) / width), 1);
  const half = LABEL_WIDTH / 2 / (width / bars.length);
  return bars.flatMap((_, index) => {
    const isShown = (index - Math.floor(every / 2)) % every === 0 && index >= half / 2 && bars.length - index >= half;
    return isShown ? [index] : [];
  });
}
