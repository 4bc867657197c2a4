import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** A plain JavaScript launcher, a shell script and two bundles that may not import each other: they cannot share a file. */
const HOLDERS = [
  'build/scripts/launch-server.mjs',
  'build/resources/launchers/homeport',
  'electron/server-process/spawn-server.ts',
  'server/platform/sandbox/worker-process.ts',
];

describe('the settings of the allocator', () => {
  it('are the same for the server, the desktop app, the command line and workers', () => {
    const [first, ...others] = HOLDERS.map((path) =>
      Array.from(readFileSync(path, 'utf8').matchAll(/\b(MALLOC_[A-Z_]+_)\W+(\d+)/g), ([, name, value]) => [
        name,
        value,
      ]),
    );

    expect(first).toHaveLength(3);
    for (const settings of others) expect(settings).toEqual(first);
  });
});
