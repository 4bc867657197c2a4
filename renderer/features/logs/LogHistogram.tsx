import { ActionIcon, Box, Tooltip } from '@mantine/core';
import { IconChartBar, IconTable, IconZoomOut } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { logHistogramQueryOptions, type OperationQuery } from '../../api/logs/logs-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { Bars } from '../../components/chart/BarChart.tsx';
import { ChartTable } from '../../components/chart/ChartTable.tsx';
import { byStateOnly, sumOf } from '../../lib/activity-series.ts';
import { shownTimeZone } from '../../lib/shown-zone.ts';
import classes from './LogHistogram.module.css';
import type { LogPeriod } from './use-log-period.ts';

const HEIGHT = 84;
const TITLE = 'Operations over time';

/** The operations of the filter as bars over the period; dragging over bars, or Enter, zooms in. */
export function LogHistogram({ filter, view }: { filter: OperationQuery; view: LogPeriod }) {
  const env = useEnv();
  const [cursor, setCursor] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const { data } = useQuery(
    logHistogramQueryOptions(env, filter, {
      key: `${JSON.stringify(view.period)} ${view.anchorMs}`,
      edges: view.edges,
      isLive: view.isLive && view.period.kind !== 'range',
      timeZone: shownTimeZone(view.isUtc),
    }),
  );
  const { series, points } = byStateOnly(data?.buckets ?? []);
  const total = sumOf(points.map(({ values }) => sumOf(values)));
  const bucketMs = data?.bucketMs ?? 60_000;
  const { isUtc } = view;
  const end = Date.parse(data?.end ?? '');
  const shared = { title: TITLE, series, points, bucketMs, end, cursor, isUtc, onCursor: setCursor, hint: null };
  const SwitchIcon = isTable ? IconChartBar : IconTable;
  const toggle = isTable ? 'Show as a chart' : 'Show as a table';
  return (
    <section className={`row at-top rigid gutter ${classes['box']}`} aria-label={TITLE}>
      <div className="flex rigid" style={{ flexDirection: 'column-reverse', justifyContent: 'flex-end' }}>
        {view.period.kind === 'range' && (
          <Tooltip label="Zoom out">
            <ActionIcon size={24} aria-label="Zoom out" onClick={view.zoomOut}>
              <IconZoomOut size={14} stroke={1.6} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
        <Tooltip label={toggle}>
          <ActionIcon
            size={24}
            aria-label={`${toggle}: ${TITLE}`}
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            <SwitchIcon size={14} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      <Box miw={0} flex={1}>
        {isTable ? (
          <ChartTable {...shared} />
        ) : (
          <Bars
            {...shared}
            total={total}
            height={HEIGHT}
            enterDoes="zooms to them"
            onPick={(from, to) => view.set({ kind: 'range', from, to })}
          />
        )}
      </Box>
    </section>
  );
}
