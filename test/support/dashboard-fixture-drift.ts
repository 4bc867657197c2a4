import type { ShownDriftWatch } from '../../server/functions/dashboard-drift-watch.contract.ts';

export const DRIFT_OFF: ShownDriftWatch = {
  connectionId: null,
  nextAt: null,
  lastAt: null,
  problem: null,
  compared: null,
  changes: [],
  skipped: [],
};

/** Of a comparison that just ended. */
export const driftResult = (now: number): Partial<ShownDriftWatch> => ({
  lastAt: new Date(now).toISOString(),
  nextAt: new Date(now + 7 * 86_400_000).toISOString(),
  compared: 3,
  changes: [
    {
      request: 'GET /repos/{id}/issues',
      field: '[].assignee.login',
      kind: 'gone',
      before: 'text',
      after: '',
      functions: ['fetch-issues', 'list-assignees'],
      isRead: true,
    },
    {
      request: 'GET /user',
      field: 'id',
      kind: 'type',
      before: 'number',
      after: 'text',
      functions: ['fetch-issues'],
      isRead: false,
    },
  ],
  skipped: [{ function: 'create-issue', reason: 'Its recording has requests that write, or none.' }],
});
