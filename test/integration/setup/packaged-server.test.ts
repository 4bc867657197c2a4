import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The parts of an Electron distribution that electron-builder looks at; the real one is a download of 100 MB. */
function writeElectronStandIn(folder: string): void {
  mkdirSync(path.join(folder, 'resources'), { recursive: true });
  writeFileSync(path.join(folder, 'electron'), '#!/bin/sh\n');
  chmodSync(path.join(folder, 'electron'), 0o755);
  for (const name of ['LICENSE', 'chrome-sandbox', 'version']) writeFileSync(path.join(folder, name), '');
}

/** Packages what set-up built, outside the repository, where nothing can be found by accident. */
async function packageApp(folder: string): Promise<string> {
  const electron = path.join(folder, 'electron');
  writeElectronStandIn(electron);
  copyFileSync(path.join(ROOT, 'package.json'), path.join(ROOT, 'dist/package.json'));
  const builder = path.join(ROOT, 'node_modules/electron-builder/cli.js');
  const overrides = [`-c.electronDist=${electron}`, `-c.directories.output=${path.join(folder, 'out')}`];
  await run(process.execPath, [builder, '--config', 'build/config/electron-builder.yml', '--dir', ...overrides], {
    cwd: ROOT,
  });
  return path.join(
    folder,
    process.arch === 'x64' ? 'out/linux-unpacked' : `out/linux-${process.arch}-unpacked`,
    'resources',
  );
}

describe.skipIf(process.platform !== 'linux')('the packaged server', () => {
  let folder: string;
  let resources: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'homeport-package-'));
    resources = await packageApp(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('brings every module that the bundle leaves outside', async () => {
    const code =
      "for (const name of ['sqlite3', 'isolated-vm', 'esbuild', 'oxc-parser', 'typescript', 'zod']) require(name);";
    const node = path.join(resources, 'runtime/bin/node');

    await run(node, ['--no-node-snapshot', '-e', code], { cwd: resources });
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
    const places = { workspace: path.join(functions, 'templates'), sdkFolder: path.join(functions, 'sdk') };

    checker.send({ kind: 'open', places });
    checker.send({ kind: 'check', id: 1, paths: ['practice/syncs/fetch-issues.ts'] });
    const [{ results }] = await once(checker, 'message');

    const dependencies = ['practice/syncs/fetch-issues.ts', 'practice/models.ts'];
    expect(results).toEqual([{ path: 'practice/syncs/fetch-issues.ts', diagnostics: [], dependencies }]);
  });

  it('starts on the packaged Node and stops when asked', async () => {
    const server = spawn(path.join(resources, 'runtime/bin/node'), [path.join(resources, 'dist/server/main.mjs')], {
      env: { HOME: folder, HOMEPORT_HOME: path.join(folder, 'data'), HOMEPORT_PORT: '0' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    const [message] = await once(server, 'message');

    server.send({ type: 'stop' });

    expect(message).toMatchObject({ type: 'ready', address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
    expect((await once(server, 'exit'))[0]).toBe(0);
  });
});
