import { Session } from 'node:inspector/promises';
import path from 'node:path';

/** Base names of the program's files in which a function ran while `run` did. */
export async function recordWalk(run: () => Promise<void>): Promise<Set<string>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // What ran before does not count.
    await session.post('Profiler.takePreciseCoverage');
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const called = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
    return new Set(called.map(({ url }) => path.posix.basename(url.replace(/\?.*$/, ''))));
  } finally {
    session.disconnect();
  }
}
