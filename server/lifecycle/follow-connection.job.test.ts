import { describe, expect, it } from 'vitest';
import type { Job } from '../platform/scheduler/job-kind.ts';
import type { ConnectionCreation } from './connection-creation.ts';
import { followConnection } from './follow-connection.job.ts';

const VALIDATION = { onRefusal: 'mark', replaced: null, storedAt: 1, logId: 'op' };

/** What the creation of connections gets from a stored job. */
async function read(payload: Record<string, unknown>): Promise<unknown> {
  const jobs: unknown[] = [];
  const creation = { afterCreation: async (_id: number, job: unknown) => void jobs.push(job) };
  const kind = followConnection({ creation: creation as unknown as ConnectionCreation });
  await kind.handler({ id: 1, payload } as Job, new AbortController().signal);
  return jobs[0];
}

describe('the job that follows a connection', () => {
  it('reads a pending validation, also under the name of earlier versions', async () => {
    const expected = { connectionRowId: 7, event: 'override', validation: VALIDATION };

    expect(await read({ connectionRowId: 7, event: 'override', validation: VALIDATION })).toEqual(expected);
    expect(await read({ connectionRowId: 7, event: 'override', verdict: VALIDATION })).toEqual(expected);
  });

  it('reads a job without a validation', async () => {
    expect(await read({ connectionRowId: 7 })).toEqual({
      connectionRowId: 7,
      event: 'creation',
      validation: undefined,
    });
  });
});
