import { Tooltip } from '@mantine/core';
import { formatFull, formatRelative } from '../lib/format-time.ts';
import { useNow } from './use-now.ts';

/** "4 min ago", with the full time on hover. `bare` omits "ago". */
export function RelativeTime({ at, bare = false, empty = '–' }: { at: string | null; bare?: boolean; empty?: string }) {
  const now = useNow();
  if (at === null) return <span className="faint">{empty}</span>;
  return (
    <Tooltip label={formatFull(at)}>
      <time dateTime={at}>{formatRelative(at, now, bare)}</time>
    </Tooltip>
  );
}
