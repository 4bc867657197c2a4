import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import { locateResources } from '../../resources.ts';
import { openLocalEngine } from './local-engine.ts';

it('leaves no process behind when the project is not there', async () => {
  const children = (): string[] => process.getActiveResourcesInfo().filter((kind) => kind === 'ProcessWrap');
  const before = children();
  const root = join(import.meta.dirname, 'no-such-project');

  const opening = openLocalEngine({ root, resources: await locateResources(), clock: systemClock, ids: randomIds });

  await expect(opening).rejects.toThrow(/ENOENT/);
  expect(children()).toEqual(before);
});
