import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useNow } from '../../components/use-now.ts';

/** "in 14 min"; a run that is due and still waits for its turn is "due now". */
export function NextTime({ at }: { at: string }) {
  return Date.parse(at) > useNow() ? <RelativeTime at={at} /> : <>due now</>;
}
