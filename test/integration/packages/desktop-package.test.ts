// @module-tag nightly
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import {
  emptyHome,
  expectGoldenContents,
  makePackages,
  passClientStory,
  ROOT,
  startPackaged,
  writeElectronStandIn,
} from './packaged-program.ts';

const run = promisify(execFile);

describe.skipIf(process.platform !== 'linux')('the desktop package', () => {
  let temp: TempHome;
  let app: string;
  let resources: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    temp = await createTempHome();
    const electron = path.join(temp.path, 'electron');
    writeElectronStandIn(electron);
    const out = path.join(temp.path, 'out');
    await makePackages(out, '--', '--dir', `-c.electronDist=${electron}`);
    app = path.join(out, process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`);
    resources = path.join(app, 'resources');
    env = await emptyHome(temp.path);
  }, 240_000);
  afterAll(() => temp.remove());

  it('holds exactly what it should', () => {
    expectGoldenContents('desktop', app);
  });

  it('has the shell in an archive, without a single package', async () => {
    const asar = path.join(ROOT, 'node_modules/@electron/asar/bin/asar.js');
    const { stdout } = await run(process.execPath, [asar, 'list', path.join(resources, 'app.asar')]);
    const files = stdout.trim().split('\n');

    expect(files).toEqual(
      expect.arrayContaining(['/dist/electron/main.mjs', '/dist/electron/preload.cjs', '/package.json']),
    );
    expect(files.filter((file) => !/^\/(dist|dist\/electron(\/.*)?|package\.json)$/.test(file))).toEqual([]);
    expect(files.filter((file) => /node_modules|\.map$/.test(file))).toEqual([]);
  });

  it('has an Electron that does nothing else', async () => {
    const wire = await getCurrentFuseWire(path.join(app, 'homeport-desktop.bin'));
    const isOn = (fuse: FuseV1Options): boolean => wire[fuse] === '1'.charCodeAt(0);

    expect(isOn(FuseV1Options.RunAsNode)).toBe(false);
    expect(isOn(FuseV1Options.EnableNodeOptionsEnvironmentVariable)).toBe(false);
    expect(isOn(FuseV1Options.EnableNodeCliInspectArguments)).toBe(false);
    expect(isOn(FuseV1Options.GrantFileProtocolExtraPrivileges)).toBe(false);
    expect(isOn(FuseV1Options.OnlyLoadAppFromAsar)).toBe(true);
    expect(isOn(FuseV1Options.EnableEmbeddedAsarIntegrityValidation)).toBe(true);
    // No second entry in the keychain.
    expect(isOn(FuseV1Options.EnableCookieEncryption)).toBe(false);
  });

  it('is not too large: what an installer holds beside Electron', () => {
    const sizes = readdirSync(resources, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(path.join(entry.parentPath, entry.name)).size);

    // Compressed it is a third of that (build/packaging.md).
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000_000);
  });

  it('brings every function template, with its recordings', () => {
    const filesIn = (root: string): string[] =>
      readdirSync(path.join(root, 'functions/templates'), { recursive: true }).map(String).sort();

    expect(filesIn(resources)).toEqual(filesIn(ROOT));
  });

  it('checks the types of functions with the SDK and the zod that it brings', async () => {
    const checker = fork(path.join(resources, 'dist/server/type-check-main.mjs'), {
      execPath: path.join(resources, 'runtime/bin/node'),
    });
    onTestFinished(() => void checker.kill('SIGKILL'));
    const functions = path.join(resources, 'functions');
    const folders = { workspace: path.join(functions, 'templates'), sdkFolder: path.join(functions, 'sdk') };

    checker.send({ kind: 'open', folders });
    checker.send({ kind: 'check', id: 1, paths: ['practice/syncs/fetch-issues.ts'] });
    const [{ results }] = await once(checker, 'message');

    const dependencies = ['practice/syncs/fetch-issues.ts', 'practice/models.ts'];
    expect(results).toEqual([{ path: 'practice/syncs/fetch-issues.ts', diagnostics: [], dependencies }]);
  });

  it('serves an official client with its own Node from an empty home, and stops when asked', async () => {
    const server = await startPackaged(
      path.join(resources, 'runtime/bin/node'),
      [path.join(resources, 'dist/server/main.mjs')],
      env,
    );
    let status: number | null = null;
    try {
      await passClientStory(server);
    } finally {
      status = await server.stop();
    }

    expect(status).toBe(0);
  });

  it('brings the command line', async () => {
    const { stdout } = await run(path.join(resources, 'bin/homeport'), ['--version'], { env });

    expect(stdout.trim()).toBe(JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version);
    const licences = readFileSync(path.join(resources, 'LICENSES.txt'), 'utf8');
    expect(licences).toMatch(/^electron-updater \d/m);
    expect(licences).toMatch(/^electron \d/m);
    expect(licences).not.toMatch(/^@electron\/get /m);
  });
});
