import type { ConnectionDetail } from '../../api/contract.ts';
import type { StatusLook } from '../../lib/status.ts';

const REFRESHED: StatusLook = { label: 'Succeeded', tone: 'ok', icon: 'check' };
const REFUSED: StatusLook = { label: 'Failed', tone: 'bad', icon: 'alert' };

/** How the last refresh ended; undefined before the first one: storing new credentials counts as a success too. */
export function refreshLook({
  lastRefresh,
  createdAt,
}: Pick<ConnectionDetail, 'lastRefresh' | 'createdAt'>): StatusLook | undefined {
  if (!lastRefresh || (lastRefresh.succeeded && lastRefresh.at === createdAt)) return undefined;
  return lastRefresh.succeeded ? REFRESHED : REFUSED;
}
