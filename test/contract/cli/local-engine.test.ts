import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openLocalEngine } from '../../../server/cli/project/local-engine.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { locateResources } from '../../../server/resources.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

let home: TempHome;

beforeEach(async () => {
  home = await createTempHome();
  return () => home.remove();
});

const childProcesses = (): number => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
const open = async (root: string) =>
  openLocalEngine({
    root,
    cacheFolder: join(home.path, 'cache'),
    resources: await locateResources(),
    readsIndex: true,
    clock: systemClock,
    ids: randomIds,
  });

describe('the engine of a command', () => {
  it('leaves no process behind when the project was deleted', async () => {
    // The process of the tests may have children that last.
    const before = childProcesses();
    await expect(open(join(home.path, 'gone'))).rejects.toThrow('ENOENT');

    await waitFor(() => childProcesses() <= before, { what: 'no further child process' });
  });

  it('keeps its compiled files in the given folder', async () => {
    await (await open(home.path))[Symbol.asyncDispose]();

    expect(await readdir(join(home.path, 'cache'))).toHaveLength(1);
  });
});
