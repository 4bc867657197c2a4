import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLI_ENTRY, runCli } from '../../support/run-cli.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

/** The user that runs the tests may be root, who may read and write everything. */
const NOBODY = 65_534;

let folder: TempHome;
beforeEach(async () => {
  folder = await createTempHome();
  await chmod(folder.path, 0o755);
});
afterEach(() => folder.remove());

interface Finding {
  what: string;
  state: string;
  detail: string;
}

/** `homeport doctor --json` as a user who owns nothing here. */
async function examine(home: string): Promise<{ status: number; findings: Finding[] }> {
  const uid = process.getuid?.() === 0 ? NOBODY : undefined;
  const run = promisify(execFile)(process.execPath, [CLI_ENTRY, 'doctor', '--json'], {
    cwd: folder.path,
    env: { HOME: folder.path, HOMEPORT_HOME: home, HOMEPORT_PORT: '9' },
    ...(uid === undefined ? {} : { uid }),
  });
  const { code, stdout, stderr }: { code?: number; stdout: string; stderr: string } = await run.catch((error) => error);
  expect(stderr).toBe('');
  return { status: code ?? 0, findings: JSON.parse(stdout).findings };
}

const find = (findings: Finding[], name: string): Finding | undefined => findings.find(({ what }) => what === name);

describe('homeport doctor', () => {
  it('says that a folder cannot be made where this user may not write, and makes nothing', async () => {
    const parent = join(folder.path, 'closed');
    await mkdir(parent, { mode: 0o555 });
    const home = join(parent, 'share/homeport');

    const { status, findings } = await examine(home);

    expect(status).toBe(1);
    expect(find(findings, 'data folder')).toEqual({
      what: 'data folder',
      state: 'problem',
      detail: `The data folder ${home} cannot be used: this user may not read and write it. Give it to this user (chown), or set HOMEPORT_HOME to another folder.`,
    });
    expect(await readdir(parent)).toEqual([]);
  });

  it('says so of a folder, of a database and of a file in its place', async () => {
    const home = join(folder.path, 'home');
    await mkdir(home);
    await chmod(home, 0o555);
    expect(find((await examine(home)).findings, 'data folder')).toMatchObject({ state: 'problem' });

    await chmod(home, 0o777);
    await writeFile(join(home, 'homeport.db'), '', { mode: 0o400 });
    expect(find((await examine(home)).findings, 'data folder')).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining(join(home, 'homeport.db')),
    });

    const file = join(folder.path, 'file');
    await writeFile(file, '');
    await chmod(file, 0o777);
    expect(find((await examine(file)).findings, 'data folder')).toMatchObject({
      state: 'problem',
      detail: expect.stringMatching(/ a file/),
    });
  });

  it('names one problem for a hub that was not started yet, and no folder that "serve" makes', async () => {
    const home = join(folder.path, 'not/yet');

    const run = await runCli(['doctor', '--json'], { cwd: folder.path, home, env: { HOMEPORT_PORT: '9' } });

    expect(run.status).toBe(1);
    const { findings } = run.json() as { findings: Finding[] };
    expect(findings.filter(({ state }) => state === 'problem').map(({ what }) => what)).toEqual(['hub']);
    expect(find(findings, 'data folder')).toMatchObject({
      state: 'warning',
      detail: `${home} does not exist yet. "homeport serve" creates it.`,
    });
  });

  describe('in a project that has a path of one computer', () => {
    const gone = '/home/somebody/home port/build/scripts/homeport.mjs';
    const doctor = (...args: string[]) =>
      runCli(['doctor', ...args], { cwd: folder.path, home: join(folder.path, 'home'), env: { HOMEPORT_PORT: '9' } });
    const packageFile = async () => JSON.parse(await readFile(join(folder.path, 'package.json'), 'utf8'));

    beforeEach(async () => {
      await mkdir(join(folder.path, '.nango'));
      const scripts = {
        homeport: `node "${gone}"`,
        compile: `node "${gone}" compile`,
        check: `tsc && node "${gone}" test --all`,
        other: 'node "/opt/tool/other.mjs"',
      };
      await writeFile(join(folder.path, 'package.json'), JSON.stringify({ name: 'mine', scripts }));
    });

    it('names it and the way to mend it, and changes nothing', async () => {
      const before = await packageFile();

      const run = await doctor('--json');

      expect(run.status).toBe(1);
      expect(find(run.json().findings, 'project')).toEqual({
        what: 'project',
        state: 'problem',
        detail: `${join(folder.path, 'package.json')} starts Homeport at ${gone}, where nothing is. "homeport doctor --fix" makes the project work on every computer.`,
      });
      expect(await packageFile()).toEqual(before);
    });

    it('mends it with --fix, and finds nothing after that', async () => {
      const run = await doctor('--fix');

      expect(run.output).toMatch(/✓ project .*package\.json starts Homeport on every computer now/);
      expect(await packageFile()).toEqual({
        name: 'mine',
        scripts: {
          homeport: 'node .homeport/homeport.mjs',
          dev: 'node .homeport/homeport.mjs dev',
          compile: 'node .homeport/homeport.mjs compile',
          check: 'tsc && node .homeport/homeport.mjs test --all',
          other: 'node "/opt/tool/other.mjs"',
        },
        devDependencies: { '@homeport-hub/homeport': 'file:.homeport', zod: '4.3.6' },
      });
      expect(await readdir(join(folder.path, '.homeport'))).toEqual(['homeport.mjs', 'package.json']);
      expect(find((await doctor('--json')).json().findings, 'project')).toBeUndefined();
    });

    it('names a package.json that is broken', async () => {
      await writeFile(join(folder.path, 'package.json'), '{ "name": ');

      expect(find((await doctor('--json')).json().findings, 'project')).toMatchObject({
        state: 'problem',
        detail: expect.stringMatching(/package\.json is not JSON/),
      });
    });
  });
});
