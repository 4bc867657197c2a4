import { formatFull } from '../lib/format-time.ts';
import { HoverTip } from './HoverTip.tsx';
import { RelativeTime } from './RelativeTime.tsx';
import { useNow } from './use-now.ts';

/** "in 14 min"; a start whose time has passed, as of a run that waits in the queue, is "due now". The full time on hover. */
export function NextTime({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null || Date.parse(at) > now) return <RelativeTime at={at} />;
  return (
    <HoverTip label={formatFull(at)}>
      <time dateTime={at}>due now</time>
    </HoverTip>
  );
}
