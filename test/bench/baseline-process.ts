import { fileURLToPath } from 'node:url';
import { spawnReady } from '../support/spawn-ready.ts';

export interface BaselineServer {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** A bare server of `baselines/`, in a process of its own. */
export async function startBaseline(name: string, args: string[] = []): Promise<BaselineServer> {
  const { child, ready, end } = await spawnReady({
    entry: entryOf(name),
    args,
    readyLine: /^listening on (\d+)$/,
    limitMs: 120_000,
  });
  return { url: `http://127.0.0.1:${ready[1]}`, pid: child.pid ?? 0, stop: () => end('SIGTERM') };
}

/** A bare program of `baselines/` that measures itself and prints the result. */
export async function runBaseline(name: string, args: string[]): Promise<number> {
  const { ready, end } = await spawnReady({
    entry: entryOf(name),
    args,
    readyLine: /^result ([\d.]+)$/,
    limitMs: 600_000,
  });
  await end('SIGTERM');
  return Number(ready[1]);
}

function entryOf(name: string): string {
  return fileURLToPath(new URL(`./baselines/${name}.ts`, import.meta.url));
}
