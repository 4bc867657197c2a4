import { useCallback, useEffect, useRef, useState } from 'react';
import { describeError, type Problem } from '../../lib/api-error.ts';
import type { ConnectionTestResult } from '../contract.ts';
import { request } from '../request.ts';
import { useEnv } from '../use-env.ts';

/** The server tests this many at the same time and accepts no more in one request. */
const AT_ONCE = 5;
const PAGE = 200;

export interface ShownConnectionTest extends ConnectionTestResult {
  connectionId: string;
  displayName: string | null;
}

interface ConnectionTestCourse {
  /** In the order of their tests. */
  tested: readonly ShownConnectionTest[];
  /** The number of connections; undefined until the first page has arrived. */
  total: number | undefined;
  isRunning: boolean;
  /** The failure that ended the tests early. */
  problem: Problem | undefined;
}

/** Tests every connection of an integration, a few at a time, until it is stopped or the screen closes. */
export function useConnectionTests(integrationKey: string) {
  const env = useEnv();
  const [course, setCourse] = useState<ConnectionTestCourse>();
  const isStopped = useRef(false);
  const stop = useCallback((): void => {
    isStopped.current = true;
  }, []);
  useEffect(() => stop, [stop]);

  const start = async (): Promise<void> => {
    isStopped.current = false;
    const tested: ShownConnectionTest[] = [];
    let total: number | undefined;
    const show = (isRunning: boolean, problem?: ConnectionTestCourse['problem']): void =>
      setCourse({ tested: [...tested], total, isRunning, problem });
    show(true);
    try {
      for await (const some of connectionSlices(env, integrationKey)) {
        total = some.total;
        if (isStopped.current) break;
        const targets = some.connections.map(({ connectionId }) => ({ integrationKey, connectionId }));
        const { results } = await request('POST /api/v1/connections/test', { query: { env }, body: { targets } });
        some.connections.forEach((connection, index) => {
          const result = results[index];
          if (result) tested.push({ ...connection, ...result });
        });
        show(true);
      }
      show(false);
    } catch (error) {
      show(false, describeError(error));
    }
  };
  return { course, start, stop };
}

interface ConnectionSlice {
  connections: Array<{ connectionId: string; displayName: string | null }>;
  total: number;
}

/** The connections as they are at the start, in pages of the size that is tested at once. */
async function* connectionSlices(env: string, integrations: string): AsyncGenerator<ConnectionSlice> {
  let snapshot: string | undefined;
  for (let offset = 0; ; offset += PAGE) {
    const query = { env, integrations, sort: 'id', offset, limit: PAGE, ...(snapshot !== undefined && { snapshot }) };
    const page = await request('GET /api/v1/connections', { query });
    snapshot = page.snapshot;
    for (let from = 0; from < page.data.length; from += AT_ONCE) {
      const connections = page.data
        .slice(from, from + AT_ONCE)
        .map(({ connectionId, displayName }) => ({ connectionId, displayName }));
      yield { connections, total: page.total };
    }
    if (offset + PAGE >= page.total) return;
  }
}
