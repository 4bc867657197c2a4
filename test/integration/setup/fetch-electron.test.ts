// @module-tag slow
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { copyScripts } from './scripts-copy.ts';

const run = promisify(execFile);
const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const VERSION = '45.0.0';
const FILE = `electron-v${VERSION}-${process.platform}-${process.arch}.zip`;
const PROGRAM = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform as string];

/** What a mirror serves: a program, its version, and enough bytes that a connection can end in the middle. */
const ARCHIVE = Buffer.from(
  zipSync({
    [PROGRAM ?? 'electron']: [Buffer.from('#!/bin/sh\nexit 0\n'), { os: 3, attrs: (0o100755 << 16) >>> 0 }],
    version: Buffer.from(VERSION),
    'resources.pak': [Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 251)), { level: 0 }],
  }),
);

type Answer = (response: ServerResponse, request: { from: number; count: number }) => void;
type Copy = ReturnType<typeof copyScripts>;

let copy: Copy;
let mirror: { url: string; requests: Array<{ url: string; range: string | undefined }>; answer: Answer; close(): void };

beforeEach(async () => {
  copy = copyScripts();
  installElectronPackage(createHash('sha256').update(ARCHIVE).digest('hex'));
  mirror = await startMirror();
});
afterEach(() => {
  mirror.close();
  copy[Symbol.dispose]();
});

/** The package of Electron as npm installs it without its script, with the modules that its script uses. */
function installElectronPackage(checksum: string): void {
  copy.write('node_modules/electron/package.json', JSON.stringify({ name: 'electron', version: VERSION }));
  copy.write('node_modules/electron/checksums.json', JSON.stringify({ [FILE]: checksum }));
  for (const name of ['@electron', '@electron-internal']) {
    const link = path.join(copy.root, 'node_modules', name);
    if (!existsSync(link)) symlinkSync(path.join(PACKAGES, name), link);
  }
}

async function startMirror(): Promise<typeof mirror> {
  const requests: Array<{ url: string; range: string | undefined }> = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { range } = request.headers;
    requests.push({ url: request.url ?? '', range });
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    mirror.answer(response, { from, count: requests.length });
  });
  // As a proxy: every name leads here.
  server.on('connect', ({ url }, socket) => {
    requests.push({ url: url ?? '', range: undefined });
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.emit('connection', socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/electron/`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url, requests, answer: (response, { from }) => void sendFrom(response, from), close };
}

function sendFrom(response: ServerResponse, from: number, to = ARCHIVE.length): void {
  const headers = { 'content-length': ARCHIVE.length - from };
  if (from > 0) response.writeHead(206, { ...headers, 'content-range': `bytes ${from}-/${ARCHIVE.length}` });
  else response.writeHead(200, headers);
  response.write(ARCHIVE.subarray(from, to));
  if (to === ARCHIVE.length) response.end();
}

const environment = (env: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  ELECTRON_MIRROR: mirror.url,
  electron_config_cache: path.join(copy.root, 'cache'),
  ...env,
});

/** Fetches in a process of its own; `problem` is undefined when Electron is there. */
async function fetchElectron(
  env?: Record<string, string>,
): Promise<{ problem?: string; has: boolean; output: string }> {
  const code = `const { fetchElectron, hasElectron } = await import(${JSON.stringify(copy.url('setup/electron-binary.mjs'))});
    const { createProgress } = await import(${JSON.stringify(copy.url('setup/progress.mjs'))});
    const problem = await fetchElectron({ runtime: process.execPath, progress: createProgress() });
    console.log(JSON.stringify({ problem, has: hasElectron() }));`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', code], {
    env: environment(env),
  });
  return { ...JSON.parse(stdout), output: stderr };
}

const partBytes = (): number =>
  statSync(path.join(copy.root, `.homeport/electron/${FILE}.part`), { throwIfNoEntry: false })?.size ?? 0;
const electronFolder = (): string => path.join(copy.root, 'node_modules/electron');

describe('fetching Electron', () => {
  it('puts the program in its place, once, with progress', { tags: ['main-path'] }, async () => {
    expect(await fetchElectron()).toMatchObject({
      has: true,
      output: expect.stringMatching(/fetching the desktop window \(once\) …\n.*: done in/s),
    });
    const program = path.join(electronFolder(), 'dist', PROGRAM ?? 'electron');
    expect(statSync(program).mode & 0o111).toBeGreaterThan(0);
    expect(readFileSync(path.join(electronFolder(), 'path.txt'), 'utf8')).toBe(PROGRAM ?? 'electron');
    expect(readdirSync(electronFolder()).filter((name) => name.startsWith('dist'))).toEqual(['dist']);

    expect(await fetchElectron()).toEqual({ has: true, output: '' });
    expect(mirror.requests).toEqual([{ url: `/electron/v${VERSION}/${FILE}`, range: undefined }]);
  });

  it('takes what was fetched before, when npm has emptied its folder', async () => {
    await fetchElectron();
    rmSync(electronFolder(), { recursive: true });
    installElectronPackage(createHash('sha256').update(ARCHIVE).digest('hex'));

    expect(await fetchElectron()).toMatchObject({ has: true });
    expect(mirror.requests).toHaveLength(1);
  });

  it('continues after resets where it was', async () => {
    mirror.answer = (response, { from, count }) => {
      if (count > 3) return sendFrom(response, from);
      sendFrom(response, from, from + 50_000);
      void waitFor(() => partBytes() >= from + 50_000, { what: 'the part' }).then(() => response.destroy());
    };
    expect(await fetchElectron()).toMatchObject({ has: true });
    const ranges = mirror.requests.map(({ range }) => range);
    expect(ranges).toEqual([undefined, 'bytes=50000-', 'bytes=100000-', 'bytes=150000-']);
  });

  it('starts anew at a server that cannot continue', async () => {
    copy.write(`.homeport/electron/${FILE}.part`, 'x'.repeat(1000));
    mirror.answer = (response) => sendFrom(response, 0);

    expect(await fetchElectron()).toMatchObject({ has: true });
    expect(mirror.requests.map(({ range }) => range)).toEqual(['bytes=1000-']);
  });

  it('uses half a file of an ended start, and throws it away when it is of another file', async () => {
    copy.write(`.homeport/electron/${FILE}.part`, '');
    writeFileSync(path.join(copy.root, `.homeport/electron/${FILE}.part`), ARCHIVE.subarray(0, 1000));
    expect(await fetchElectron()).toMatchObject({ has: true });
    expect(mirror.requests.map(({ range }) => range)).toEqual(['bytes=1000-']);

    rmSync(path.join(copy.root, 'cache'), { recursive: true });
    rmSync(path.join(electronFolder(), 'dist'), { recursive: true });
    writeFileSync(path.join(copy.root, `.homeport/electron/${FILE}.part`), 'x'.repeat(1000));
    expect(await fetchElectron()).toMatchObject({ has: true });
    expect(mirror.requests.map(({ range }) => range)).toEqual(['bytes=1000-', 'bytes=1000-', undefined]);
  });

  it('uses no file with a wrong checksum', async () => {
    installElectronPackage('0'.repeat(64));

    const { problem, has, output } = await fetchElectron();

    expect(has).toBe(false);
    expect(problem).toContain('wrong checksum');
    expect(output).toContain('failed');
    expect(existsSync(path.join(electronFolder(), 'dist'))).toBe(false);
  });

  it('asks again a server that falls silent, and gives up one that stays silent', async () => {
    const env = { HOMEPORT_DOWNLOAD_SILENCE_MS: '200' };
    mirror.answer = (response, { from, count }) =>
      count === 1 ? sendFrom(response, 0, 5000) : sendFrom(response, from);
    expect(await fetchElectron(env)).toMatchObject({ has: true });

    rmSync(path.join(electronFolder(), 'dist'), { recursive: true });
    rmSync(path.join(copy.root, 'cache'), { recursive: true });
    mirror.answer = () => {};
    const { problem, has } = await fetchElectron(env);
    expect([has, problem]).toEqual([false, expect.stringMatching(/^127\.0\.0\.1:\d+: no answer$/)]);
  });

  it.each([
    ['has no such file', 404, /^127\.0\.0\.1:\d+ has no electron-v45/],
    ['is not allowed', 403, /refuses it \(403\)/],
  ])('says at once that a mirror %s', async (_what, status, text) => {
    mirror.answer = (response) => response.writeHead(status).end();

    expect((await fetchElectron()).problem).toMatch(text);
    expect(mirror.requests).toHaveLength(1);
  });

  it('says in one line, without a step, that there is no network', { tags: ['main-path'] }, async () => {
    mirror.close();

    expect(await fetchElectron()).toEqual({
      has: false,
      output: '',
      problem: '127.0.0.1 cannot be reached: ECONNREFUSED',
    });
    expect((await fetchElectron({ ELECTRON_MIRROR: 'https://no-such-host.invalid/' })).problem).toMatch(
      /^no-such-host\.invalid cannot be reached: /,
    );
  });

  it('fetches once for two starts at the same time; the second waits', async () => {
    const held: Array<() => void> = [];
    mirror.answer = (response, { from }) => {
      sendFrom(response, from, 1000);
      held.push(() => response.end(ARCHIVE.subarray(1000)));
    };
    const first = fetchElectron();
    await waitFor(() => held.length === 1, { what: 'the first download' });
    const second = fetchElectron();
    await waitFor(() => existsSync(path.join(copy.root, '.homeport/electron.lock')), { what: 'the lock' });
    held[0]?.();

    const both = await Promise.all([first, second]);
    expect(both.map(({ has }) => has)).toEqual([true, true]);
    expect(mirror.requests).toHaveLength(1);
    expect(existsSync(path.join(copy.root, '.homeport/electron.lock'))).toBe(false);
  });

  it('goes through a proxy that the environment names', async () => {
    const { hostname, port } = new URL(mirror.url);
    const env = { ELECTRON_MIRROR: 'http://mirror.invalid/electron/', HTTP_PROXY: `http://${hostname}:${port}` };

    expect(await fetchElectron({ ...env, NO_PROXY: '' })).toMatchObject({ has: true });
    expect(mirror.requests.map(({ url }) => url)).toEqual(['mirror.invalid:80', `/electron/v${VERSION}/${FILE}`]);
  });

  it('goes on after a fetch that was killed', async () => {
    mirror.answer = (response, { from, count }) =>
      count === 1 ? sendFrom(response, 0, 100_000) : sendFrom(response, from);
    const child = spawn(
      process.execPath,
      [path.join(copy.root, 'build/scripts/setup/fetch-electron.mjs'), electronFolder()],
      {
        env: environment(),
      },
    );
    await waitFor(() => partBytes() > 50_000, { what: 'a part' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    mkdirSync(path.join(electronFolder(), 'dist.1'));

    expect(await fetchElectron()).toMatchObject({ has: true });
    expect(mirror.requests[1]?.range).toMatch(/^bytes=\d+-$/);
    expect(readdirSync(electronFolder()).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  });
});
