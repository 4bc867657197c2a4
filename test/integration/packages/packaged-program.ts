import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { readAllRecords } from '../../support/read-all-records.ts';
import { STAND_IN } from '../../support/start-desktop.ts';
import { TEST_SECRET_KEY } from '../../support/start-server.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** Packages are made for the system that the tests run on; the names are those of `npm run package`. */
const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'mac', win32: 'win' };
export const TARGET = `${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`;

/** True only in a checkout on a system that cannot build keytar; released packages always contain it. */
const hasKeychain = existsSync(path.join(ROOT, 'node_modules/keytar/build/Release/keytar.node'));

/** The marker of Electron's fuses: the text, their version, their number, one character each ("0" is off). */
const FUSES = `dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\x01\x09${'1'.repeat(9)}`;

/**
 * The parts of an Electron distribution that electron-builder reads; the real one is a download of 100 MB. Its program
 * starts the window stand-in of this checkout.
 */
export function writeElectronStandIn(folder: string): void {
  mkdirSync(path.join(folder, 'resources'), { recursive: true });
  writeFileSync(
    path.join(folder, 'electron'),
    `#!/bin/sh\nexec ${process.execPath} ${STAND_IN} --package "$(readlink -f "$0")" "$@"\n${FUSES}\n`,
    'latin1',
  );
  chmodSync(path.join(folder, 'electron'), 0o755);
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox', 'version'])
    writeFileSync(path.join(folder, name), '');
}

/** `npm run package` with the existing build; resolves to its output. */
export async function makePackages(out: string, ...args: string[]): Promise<string> {
  const keychain = hasKeychain ? [] : ['--without-keychain'];
  const script = path.join(ROOT, 'build/scripts/package.mjs');
  const { stdout } = await run(process.execPath, [script, '--no-build', '--fast', '--out', out, ...keychain, ...args], {
    cwd: ROOT,
  });
  return stdout;
}

/** An environment without any reference to this checkout: an empty home, and only the system's path. */
export async function emptyHome(folder: string): Promise<Record<string, string>> {
  const home = path.join(folder, 'home');
  await mkdir(home, { recursive: true });
  return {
    HOME: home,
    PATH: '/usr/bin:/bin',
    HOMEPORT_PORT: '0',
    HOMEPORT_PRACTICE_PORT: '0',
    HOMEPORT_SECRET_KEY: TEST_SECRET_KEY,
  };
}

export interface PackagedServer {
  url: string;
  secretKey: string;
  /** SIGTERM; resolves to the exit status. */
  stop(): Promise<number | null>;
}

/** Starts a packaged program and waits for the line with its address. */
export async function startPackaged(
  command: string,
  args: string[],
  env: Record<string, string>,
  cwd = '/',
): Promise<PackagedServer> {
  // No step of the story looks at the result of the type check, which takes seconds.
  const child = spawn(command, args, {
    env: { ...env, HOMEPORT_TYPE_CHECK: '0' },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Runs in any case after the test; its child processes notice that their parent has ended.
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, address] = /^Homeport ready at (http:\/\/[\d.:]+)/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    });
    void ended.then((code) => reject(new Error(`${command} ended with ${code}\n${errors}`)));
  });
  return {
    url,
    secretKey: TEST_SECRET_KEY,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** The first steps of a new person with an official client: each step needs other parts of the package. */
export async function passClientStory(server: PackagedServer): Promise<void> {
  const connection = await importPracticeConnection(server);
  const { nango, integration, connectionId } = connection;

  await waitForSync(connection, 'fetch-users', hasSucceeded);
  const users = await readAllRecords(connection, 'User');
  const made = await nango.triggerAction<unknown, { title: string }>(integration, connectionId, 'create-issue', {
    title: 'Packed',
  });
  const echo = await nango.get({ endpoint: '/v1/echo', providerConfigKey: integration, connectionId });
  const page = await fetch(`${server.url}/app/`);
  const counted = await fetch(`${server.url}/records/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sql: `SELECT count(*) AS users FROM "${integration}"."User"` }),
  });

  expect(await counted.text()).toBe('{"users":40}\n');
  expect(users).toHaveLength(40);
  expect(made).toMatchObject({ title: 'Packed' });
  expect(echo.data).toMatchObject({ method: 'GET', path: '/v1/echo' });
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<title>Homeport</title>');
}

/** Folders whose files change with the product: listed by content type, not file by file. */
const COLLAPSED =
  /^((?:.*\/)?(?:functions\/(?:sdk|templates)|dist\/(?:renderer|connect|docs|logos|server)|node_modules\/(?:typescript\/lib|zod|oxc-parser\/src-js|@duckdb\/node-api\/lib)))\/.+/;

/** The content of a package, by folder and kind of file; the same text on every system. */
function listContents(folder: string): string {
  const kinds = new Map<string, Set<string>>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = path.relative(folder, path.join(entry.parentPath, entry.name));
    const [, collapsed] = COLLAPSED.exec(file) ?? [];
    const group = collapsed === undefined ? path.dirname(file) : `${collapsed}/**`;
    kinds.set(
      group,
      (kinds.get(group) ?? new Set()).add(collapsed === undefined ? entry.name : `*${path.extname(file)}`),
    );
  }
  const lines = [...kinds].map(([group, names]) => `${group}: ${[...names].sort().join(' ')}`).sort();
  const text = `${lines.join('\n')}\n`;
  return text.replaceAll(`${process.platform}-${process.arch}`, '<system>').replaceAll(TARGET, '<system>');
}

/** `UPDATE_GOLDEN=1` writes the list again; the change is then reviewed as a diff. */
export function expectGoldenContents(name: string, folder: string): void {
  const file = path.join(ROOT, 'test/golden/packages', `${name}.txt`);
  const contents = listContents(folder);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, contents);
  const golden = readFileSync(file, 'utf8');
  expect(contents).toBe(hasKeychain ? golden : golden.replace(/^.*keytar.*\n/gm, ''));
}
