import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_ENTRY } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const NOTE_LOADED = fileURLToPath(new URL('../../support/note-loaded.mjs', import.meta.url));
/** All of zod, the compiler or the sandbox is more. A command that needs them loads them when it runs. */
const MOST_BYTES = 370_000;
/** Node's `fetch`: 100 ms of processor time at its first use. */
const FETCH = 'internal/deps/undici/undici';

let server: InProcessServer;
let home: TempHome;
beforeAll(async () => {
  home = await createTempHome();
  server = await startInProcess({ home: home.path });
});
afterAll(async () => {
  await server?.stop();
  await home.remove();
});

interface Loaded {
  files: string[];
  bytes: number;
  builtIn: string[];
}

async function loadedBy(...args: string[]): Promise<Loaded & { status: unknown; output: string }> {
  const noted = join(home.path, 'loaded.json');
  const env = { HOME: home.path, HOMEPORT_HOME: home.path, HOMEPORT_LOADED_FILE: noted };
  const run = await new Promise<{ status: unknown; output: string }>((resolve) => {
    execFile(
      process.execPath,
      ['--import', NOTE_LOADED, CLI_ENTRY, ...args],
      { cwd: home.path, env },
      (error, output) => resolve({ status: error?.code ?? 0, output }),
    );
  });
  return { ...run, ...(JSON.parse(await readFile(noted, 'utf8')) as Loaded) };
}

// Times depend on what else the computer does; what a command loads does not, and makes most of its time.
describe('what a command loads', () => {
  it.each([
    { args: ['help'], said: 'Usage: homeport' },
    { args: ['status'], said: 'runs at http://' },
    { args: ['connections', 'list'], said: '' },
    { args: ['syncs', 'list'], said: '' },
    { args: ['logs'], said: '' },
  ])('is little: $args', async ({ args, said }) => {
    const { builtIn, bytes, files, output, status } = await loadedBy(...args);

    expect(output).toContain(said);
    expect(status).toBe(0);
    expect(files).toContain(CLI_ENTRY);
    expect(files.filter((file) => file.includes(`${sep}node_modules${sep}`))).toEqual([]);
    expect(bytes).toBeLessThan(MOST_BYTES);
    expect(builtIn).not.toContain(FETCH);
  });

  it('is more for a command that checks the catalogue, as a check of this test', async () => {
    const { bytes } = await loadedBy('doctor');

    expect(bytes).toBeGreaterThan(2 * MOST_BYTES);
  });
});
