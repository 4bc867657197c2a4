import { RelativeTime } from '../time/RelativeTime.tsx';
import { useNow } from '../time/use-now.ts';

/** Milliseconds before its expiry at which a token that cannot be renewed shows a warning. */
const WARN_MS = 10 * 60_000;

export function TokenExpiry({ at, isRefreshable }: { at: string | null; isRefreshable: boolean }) {
  const now = useNow();
  if (at === null) return <span className="faint">Never</span>;
  const leftMs = Date.parse(at) - now;
  if (leftMs <= 0 && !isRefreshable) return <span style={{ color: 'var(--hp-bad)' }}>Expired</span>;
  const color = leftMs < WARN_MS && !isRefreshable ? 'var(--hp-warn)' : undefined;
  return (
    <span style={{ color }}>
      <RelativeTime at={at} />
    </span>
  );
}
