import { useDebouncedCallback } from '@mantine/hooks';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import { recordHistoryQueryOptions, type StreamRef } from '../../api/records/records-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { useNow } from '../../components/time/use-now.ts';
import { formatCount } from '../../lib/format-number.ts';
import { formatDateTime } from '../../lib/format-time.ts';
import classes from './AsOfSlider.module.css';
import { momentIndex } from './past-moments.ts';

/** Milliseconds of the debounce: a drag passes many moments. */
const REST_MS = 150;
const DAY_MS = 86_400_000;

interface AsOfSliderProps {
  connection: ConnectionRef;
  stream: StreamRef;
  at: string | undefined;
  onChange: (at: string | undefined) => void;
}

/** Moves through the moments at which records changed, up to now; hidden when there is no earlier one. */
export function AsOfSlider({ connection, stream, at, onChange }: AsOfSliderProps) {
  const env = useEnv();
  const now = useNow();
  const { data: history, refetch } = useQuery(recordHistoryQueryOptions(env, connection, stream));
  const [dragged, setDragged] = useState<number>();
  const show = useDebouncedCallback((moment: string | undefined) => {
    setDragged(undefined);
    onChange(moment);
  }, REST_MS);
  // The state after the newest run is the current one.
  const moments = history?.moments.slice(0, -1) ?? [];
  if (!history || moments.length === 0) return null;
  const step = dragged ?? momentIndex(history.moments, at);
  // A moment chosen to the second is between two runs.
  const shown = dragged === undefined ? at : moments[dragged];
  const name = shown === undefined ? 'now' : formatDateTime(shown);
  return (
    <div className={`row rigid soft small line-below ${classes['bar']}`} style={{ padding: '6px var(--hp-gutter)' }}>
      <IconHistory size={14} stroke={1.6} aria-hidden />
      <span className={classes['shown']}>
        As of <b className="name">{name}</b>
      </span>
      <span className={`flex grow ${classes['track']}`}>
        <span className={`row gap-0 between ${classes['ticks']}`} aria-hidden>
          {[...moments, 'now'].map((moment) => (
            <i key={moment} />
          ))}
        </span>
        <input
          className="full"
          type="range"
          aria-label="Records as of"
          aria-valuetext={name}
          min={0}
          max={moments.length}
          value={step}
          onFocus={() => void refetch()}
          onChange={(event) => {
            const next = event.currentTarget.valueAsNumber;
            setDragged(next);
            show(moments[next]);
          }}
        />
      </span>
      {history.since && (
        <span className="faint">
          {formatCount(Math.ceil((now - Date.parse(history.since)) / DAY_MS), 'day')} of history
        </span>
      )}
    </div>
  );
}
