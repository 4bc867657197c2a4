import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useNow } from '../../components/use-now.ts';

/** "in 14 min"; a due run that waits in the queue is "due now". */
export function NextTime({ at }: { at: string }) {
  return Date.parse(at) > useNow() ? <RelativeTime at={at} /> : <>due now</>;
}
