import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { copyScripts } from './scripts-copy.ts';

const run = promisify(execFile);
type Copy = ReturnType<typeof copyScripts>;

/** Runs code as a module of its own process and resolves to the JSON that it printed. */
async function evaluate(code: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code]);
  return JSON.parse(stdout);
}

const lockfile = (version: string): string =>
  JSON.stringify({
    packages: { '': {}, 'node_modules/a': { version }, 'node_modules/b': { version: '1.0.0', optional: true } },
  });

function isInstalled(copy: Copy): Promise<unknown> {
  return evaluate(
    `const { isInstalled } = await import(${JSON.stringify(copy.url('setup/install-packages.mjs'))});
     console.log(JSON.stringify(isInstalled()));`,
  );
}

function copyWithPackages(): Copy {
  const copy = copyScripts();
  copy.write('package-lock.json', lockfile('1.0.0'));
  copy.write('node_modules/.package-lock.json', lockfile('1.0.0'));
  for (const name of ['esbuild', 'sqlite3', 'vitest']) copy.write(`node_modules/${name}/package.json`, '{}');
  return copy;
}

describe('set-up', () => {
  it('takes what is installed when it agrees with the lockfile', async () => {
    using copy = copyWithPackages();

    expect(await isInstalled(copy)).toBe(true);
  });

  it('installs again when the lockfile changed or a package is gone', async () => {
    using changed = copyWithPackages();
    changed.write('package-lock.json', lockfile('2.0.0'));
    using fresh = copyScripts();
    fresh.write('package-lock.json', lockfile('1.0.0'));

    expect(await isInstalled(changed)).toBe(false);
    expect(await isInstalled(fresh)).toBe(false);
  });

  it('sees a change of an input, and none in a test', async () => {
    using copy = copyScripts();
    const code = `const { fingerprint } = await import(${JSON.stringify(copy.url('setup/fingerprint.mjs'))});
      console.log(JSON.stringify(fingerprint(['server'])));`;
    copy.write('server/a.ts', 'one');
    const first = await evaluate(code);

    copy.write('server/a.test.ts', 'a test');
    const withTest = await evaluate(code);
    copy.write('server/a.ts', 'two');
    const changed = await evaluate(code);

    expect(withTest).toBe(first);
    expect(changed).not.toBe(first);
  });

  it('never runs twice at the same time, and takes over from a run that was killed', async () => {
    using copy = copyScripts();
    copy.write('.homeport/setup.lock', '999999999');
    const code = `const { withLock } = await import(${JSON.stringify(copy.url('setup/lock.mjs'))});
      const span = await withLock(async () => {
        const from = Date.now();
        await new Promise((resolve) => setTimeout(resolve, 150));
        return [from, Date.now()];
      }, () => {});
      console.log(JSON.stringify(span));`;

    const spans = (await Promise.all([evaluate(code), evaluate(code)])) as [[number, number], [number, number]];

    const [first, second] = spans.sort((a, b) => a[0] - b[0]);
    expect(second[0]).toBeGreaterThanOrEqual(first[1]);
    expect(existsSync(path.join(copy.root, '.homeport/setup.lock'))).toBe(false);
  });
});
