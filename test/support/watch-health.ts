import type { ServerAddress } from './start-server.ts';
import { WAIT_LIMIT_MS } from './wait-limit.ts';

const PAUSE_MS = 25;

export interface HealthReport {
  responses: number;
  slowestMs: number;
  failures: unknown[];
}

/** Requests `/health` repeatedly until `finish`; a blocked hub shows as slow responses or failures. */
export function watchHealth(server: ServerAddress): { finish(): Promise<HealthReport> } {
  const report: HealthReport = { responses: 0, slowestMs: 0, failures: [] };
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      await askOnce(server.url, report);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  return {
    finish: async () => {
      isOver = true;
      await watching;
      return report;
    },
  };
}

async function askOnce(url: string, report: HealthReport): Promise<void> {
  const askedAt = performance.now();
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(WAIT_LIMIT_MS) });
    if (response.status !== 200) throw new Error(`/health answered ${response.status}`);
    report.responses += 1;
  } catch (error) {
    report.failures.push(error);
  }
  report.slowestMs = Math.max(report.slowestMs, performance.now() - askedAt);
}
