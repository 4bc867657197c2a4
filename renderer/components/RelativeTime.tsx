import { formatFull, formatRelative } from '../lib/format-time.ts';
import { HoverTip } from './HoverTip.tsx';
import { useNow } from './use-now.ts';

/** "4 min ago", the full time on hover, and on focus where it can have it. `bare` leaves "ago" out. */
export function RelativeTime({ at, bare = false, empty = '–' }: { at: string | null; bare?: boolean; empty?: string }) {
  const now = useNow();
  if (at === null) return <span className="faint">{empty}</span>;
  return (
    <HoverTip label={formatFull(at)}>
      <time dateTime={at}>{formatRelative(at, now, bare)}</time>
    </HoverTip>
  );
}
