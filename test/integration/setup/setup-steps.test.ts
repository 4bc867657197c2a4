import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { copyScripts } from './scripts-copy.ts';

const run = promisify(execFile);
type Copy = ReturnType<typeof copyScripts>;

/** Runs code as a module in a process of its own and resolves to the JSON that it printed. */
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
  for (const name of ['a', 'esbuild', 'sqlite3', 'vitest']) copy.write(`node_modules/${name}/package.json`, '{}');
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

  it('believes the list of what is installed no more than the packages themselves', async () => {
    using copy = copyWithPackages();
    // As `npm install --package-lock-only` leaves it: listed but missing.
    rmSync(path.join(copy.root, 'node_modules/a'), { recursive: true });

    expect(await isInstalled(copy)).toBe(false);
  });

  it.skipIf(process.platform === 'win32')(
    'installs only what an update changed, and everything anew where that is not enough',
    async () => {
      const install = async (npm: string): Promise<string[]> => {
        using copy = copyWithPackages();
        copy.write('package-lock.json', lockfile('2.0.0'));
        copy.write('bin/npm', `#!/bin/sh\necho "$1" >> npm-calls\n${npm}\n`);
        chmodSync(path.join(copy.root, 'bin/npm'), 0o755);
        copy.write('next.json', lockfile('2.0.0'));
        const code = `const { installPackages } = await import(${JSON.stringify(copy.url('setup/install-packages.mjs'))});
          process.env.PATH = ${JSON.stringify(path.join(copy.root, 'bin'))} + ':' + process.env.PATH;
          await installPackages();
          console.log('true');`;
        await evaluate(code);
        return readFileSync(path.join(copy.root, 'npm-calls'), 'utf8').trim().split('\n');
      };

      expect(await install('cp next.json node_modules/.package-lock.json')).toEqual(['install']);
      expect(await install('[ $1 = ci ] && cp next.json node_modules/.package-lock.json || exit 1')).toEqual([
        'install',
        'ci',
      ]);
    },
  );

  it('sees a change of an input, and ignores changes of tests', async () => {
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

    const spans = (await Promise.all(Array.from({ length: 5 }, () => evaluate(code)))) as Array<[number, number]>;

    const inOrder = spans.toSorted((a, b) => a[0] - b[0]);
    for (const [index, [from]] of inOrder.entries()) expect(from).toBeGreaterThanOrEqual(inOrder[index - 1]?.[1] ?? 0);
    expect(existsSync(path.join(copy.root, '.homeport/setup.lock'))).toBe(false);
    expect(existsSync(path.join(copy.root, '.homeport/setup.lock.removal'))).toBe(false);
  });

  it('takes no lock, does not wait and writes nothing when everything is done', async () => {
    using copy = copyWithPackages();
    const names = ['sqlite3', 'isolated-vm', 'keytar'];
    for (const name of names) copy.write(`node_modules/${name}/package.json`, '{"version":"1.0.0"}');
    const versions = names.map((name) => `${name}@1.0.0`).join(' ');
    const key = await evaluate(
      `const { fingerprint } = await import(${JSON.stringify(copy.url('setup/fingerprint.mjs'))});
       console.log(JSON.stringify(fingerprint([], ${JSON.stringify(versions)}, process.execPath, process.platform, process.arch)));`,
    );
    const modules = Object.fromEntries(names.map((name) => [name, 'ok']));
    copy.write('node_modules/.homeport/native-modules.json', JSON.stringify({ key, modules }));
    // The lock of a running set-up.
    copy.write('.homeport/setup.lock', String(process.pid));

    const runtime = await evaluate(
      `const { runSetup } = await import(${JSON.stringify(copy.url('setup/run-setup.mjs'))});
       console.log(JSON.stringify(await runSetup({ quiet: true, build: false })));`,
    );

    expect(runtime).toBe(process.execPath);
    expect(readFileSync(path.join(copy.root, '.homeport/setup.lock'), 'utf8')).toBe(String(process.pid));
  });

  it('tells by sizes and times that nothing changed, and by contents that a touched file is the same', async () => {
    using copy = copyScripts();
    copy.write('server/a.ts', 'one');
    const look = (): Promise<unknown> =>
      evaluate(`const { createGlance, fingerprint } = await import(${JSON.stringify(copy.url('setup/fingerprint.mjs'))});
        console.log(JSON.stringify([createGlance()(['server']), fingerprint(['server'])]));`);
    const [glance, key] = (await look()) as string[];

    const again = await look();
    utimesSync(path.join(copy.root, 'server/a.ts'), 1, 1);
    const [touchedGlance, touchedKey] = (await look()) as string[];

    expect(again).toEqual([glance, key]);
    expect(touchedGlance).not.toBe(glance);
    expect(touchedKey).toBe(key);
  });
});
