import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Browser } from 'playwright-core';
// @ts-expect-error a plain script without types: it has to run on any Node
import { getTarget, hostTarget, runtimeOf } from '../../../build/scripts/package/package-targets.mjs';
// @ts-expect-error a plain script without types
import { writeProgram } from '../../../build/scripts/package/program-files.mjs';
import { launchChromium, OPTIMIZING } from '../../support/launch-chromium.ts';
import { serverEnvironment } from '../../support/start-server.ts';
import { createTempHome } from '../../support/temp-home.ts';
import type { BenchCase } from '../bench-case.ts';
import { median } from '../measure.ts';

/** From the start of the packaged server to the list of screens in a window that is already open, like Electron's. */
export const packagedWindowCase: BenchCase = {
  name: 'packaged-window',
  run: async ({ rounds }) => {
    const temp = await createTempHome();
    const browser = await launchChromium([OPTIMIZING]);
    try {
      const target = getTarget(hostTarget());
      const program = path.join(temp.path, 'program');
      writeProgram({ target, folder: program, withoutKeychain: true });
      const runtime = path.join(program, 'runtime/bin', runtimeOf(target).packagedAs);
      const env = {
        ...serverEnvironment(path.join(temp.path, 'home')),
        NODE_COMPILE_CACHE: path.join(temp.path, 'cache'),
      };
      const first = await openWindow({ browser, program, runtime, env });
      const later: number[] = [];
      for (let round = 0; round < rounds; round++) later.push(await openWindow({ browser, program, runtime, env }));
      return [
        {
          what: 'packaged: process start to usable window',
          unit: 'ms',
          ours: median(later),
          goal: '',
        },
        { what: 'packaged: the same, first start of all', unit: 'ms', ours: first, goal: '' },
      ];
    } finally {
      await browser.close();
      await temp.remove();
    }
  },
};

interface Start {
  browser: Browser;
  program: string;
  runtime: string;
  env: Record<string, string>;
}

async function openWindow({ browser, program, runtime, env }: Start): Promise<number> {
  const page = await browser.newPage();
  const startedAt = performance.now();
  const server = fork(path.join(program, 'dist/server/main.mjs'), {
    execPath: runtime,
    env: { ...env, UV_THREADPOOL_SIZE: '8' },
    silent: true,
  });
  try {
    const [{ loginUrl }] = (await once(server, 'message')) as [{ loginUrl: string }];
    await page.goto(loginUrl);
    // A hub without connections opens the first run in the whole window; other hubs open a screen.
    await page.getByRole('heading', { level: 1 }).waitFor();
    return performance.now() - startedAt;
  } finally {
    await page.close();
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
}
