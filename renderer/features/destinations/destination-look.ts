import type { RecordDestinationRow } from '../../api/contract.ts';
import { formatCount } from '../../lib/format-number.ts';
import { formatDuration } from '../../lib/format-time.ts';
import type { StatusLook } from '../../lib/status.ts';

export const DESTINATION_LOOKS: Record<RecordDestinationRow['state'], StatusLook> = {
  up_to_date: { label: 'Up to date', tone: 'ok', icon: 'check' },
  delivering: { label: 'Delivering', tone: 'run', icon: 'running' },
  failing: { label: 'Failing', tone: 'bad', icon: 'alert' },
  paused: { label: 'Paused', tone: 'mute', icon: 'pause' },
};

export const DESTINATION_KINDS: Record<RecordDestinationRow['kind'], string> = {
  postgres: 'PostgreSQL',
  ndjson: 'NDJSON files',
  http: 'HTTP',
};

/** "12 changes, 3 min behind". */
export function waitingWords({ waiting, lagMs }: Pick<RecordDestinationRow, 'waiting' | 'lagMs'>): string {
  if (waiting === 0) return 'Nothing';
  return `${formatCount(waiting, 'change')}, ${formatDuration(lagMs)} behind`;
}
