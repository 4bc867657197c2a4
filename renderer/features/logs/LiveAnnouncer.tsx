import { useEffect, useRef, useState } from 'react';

const EVERY_MS = 5000;

/** Tells screen readers how many rows came, never each row, and at most every five seconds. */
export function LiveAnnouncer({ total, isLive }: { total: number | undefined; isLive: boolean }) {
  const [text, setText] = useState('');
  const latest = useRef(total);
  latest.current = total;
  useEffect(() => {
    if (!isLive) return;
    let known = latest.current;
    const timer = setInterval(() => {
      const count = (latest.current ?? 0) - (known ?? latest.current ?? 0);
      known = latest.current;
      if (count > 0) setText(`${count} new operations`);
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  return (
    <div className="visually-hidden" aria-live="polite">
      {text}
    </div>
  );
}
