import { RelativeTime } from './RelativeTime.tsx';

interface NextRunProps {
  row: { scheduleStatus: 'STARTED' | 'PAUSED' | 'STOPPED'; nextRunAt: string | null };
}

/** When a sync runs next, or why it does not: its schedule is paused, or it has none (“Stopped”). */
export function NextRun({ row: { scheduleStatus, nextRunAt } }: NextRunProps) {
  if (scheduleStatus === 'STARTED') return <RelativeTime at={nextRunAt} isStart />;
  return <span className="faint">{scheduleStatus === 'PAUSED' ? 'Paused' : 'Stopped'}</span>;
}
