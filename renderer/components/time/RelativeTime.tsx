import { formatFull, formatRelative } from '../../lib/format-time.ts';
import { HoverTip } from '../HoverTip.tsx';
import { useNow } from './use-now.ts';

interface RelativeTimeProps {
  at: string | null;
  bare?: boolean;
  empty?: string;
  /** The time of a start: once it has passed, the run waits in the queue and is "due now". */
  isStart?: boolean;
}

/** "4 min ago", the full time on hover, and on focus where it can have it. `bare` leaves "ago" out. */
export function RelativeTime({ at, bare = false, empty = '–', isStart = false }: RelativeTimeProps) {
  const now = useNow();
  if (at === null) return <span className="faint">{empty}</span>;
  const isDue = isStart && Date.parse(at) <= now;
  return (
    <HoverTip label={formatFull(at)}>
      <time dateTime={at}>{isDue ? 'due now' : formatRelative(at, now, bare)}</time>
    </HoverTip>
  );
}
