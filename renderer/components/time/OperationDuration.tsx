import { useEffect, useState } from 'react';
import { formatDuration } from '../../lib/format-time.ts';

interface TimedOperation {
  state: string;
  createdAt: string;
  startedAt: string | null;
  durationMs: number | null;
}

/** How long an operation took, or has been running. */
export function OperationDuration({ operation }: { operation: TimedOperation }) {
  const { state, createdAt, startedAt, durationMs } = operation;
  return state === 'running' ? <Elapsed since={startedAt ?? createdAt} /> : formatDuration(durationMs);
}

/** "0:42", counting. */
function Elapsed({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(Math.floor((now - Date.parse(since)) / 1000), 0);
  return <time dateTime={since}>{`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`}</time>;
}
