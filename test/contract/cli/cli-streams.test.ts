import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { repeatWhile } from '../../support/repeat-while.ts';
import { CLI_ENTRY } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

let server: InProcessServer;
let home: TempHome;
beforeAll(async () => {
  home = await createTempHome();
  server = await startInProcess({ home: home.path });
  await importPracticeConnection(server);
});
afterAll(async () => {
  await server?.stop();
  await home.remove();
});

/** As `bash -c 'set -o pipefail; homeport … | head -1'`: each kind of output is a process of its own. */
async function shell(line: string): Promise<{ status: number; output: string; errors: string }> {
  const child = spawn('bash', ['-c', `set -o pipefail; homeport() { "$NODE" "$CLI" "$@"; }; ${line}`], {
    cwd: home.path,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home.path,
      HOMEPORT_HOME: home.path,
      NODE: process.execPath,
      CLI: CLI_ENTRY,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const [status] = (await once(child, 'close')) as [number];
  return { status, output, errors };
}

const PRINTING = named([
  'help',
  '--version',
  'version --json',
  'connections list',
  'connections get me',
  'api GET /providers',
  'providers list --json',
  'completion bash',
  'logs',
]);

describe('a command whose reader has read enough', () => {
  nightlyEach(PRINTING, 3)('homeport %s | head -1 ends quietly with status 0', async (command) => {
    expect(await shell(`homeport ${command} | head -c1`)).toMatchObject({ status: 0, errors: '' });
    // The reader is gone before the first byte.
    expect(await shell(`homeport ${command} | true`)).toMatchObject({ status: 0, errors: '' });
  });

  it('keeps the status of what failed', async () => {
    const run = await shell('homeport connections get nobody --json | true');

    expect(run).toMatchObject({ status: 1, errors: '' });
  });

  it('ends one that follows', { tags: ['slow'] }, async () => {
    // Two messages: the second write finds the reader gone.
    const run = await repeatWhile(
      () => fetch(`${server.url}/proxy/projects`, proxied()),
      shell('homeport logs --follow | head -1'),
    );
    expect(run).toMatchObject({ status: 0, errors: '' });
  });
});

const proxied = (): RequestInit => ({
  headers: {
    authorization: `Bearer ${server.secretKey}`,
    'connection-id': 'me',
    'provider-config-key': 'practice',
  },
});

describe('a command whose output cannot be written', () => {
  nightlyEach(PRINTING, 3)('homeport %s > /dev/full fails with a sentence', async (command) => {
    expect(await shell(`homeport ${command} > /dev/full`)).toEqual({
      status: 1,
      output: '',
      errors: 'error: The output cannot be written: no space is left there.\n',
    });
  });

  it('keeps the status of what failed, and fails when only its messages are lost', async () => {
    expect(await shell('homeport connections --json > /dev/full')).toMatchObject({ status: 64 });
    expect(await shell('homeport connections list -i nope 2> /dev/full')).toMatchObject({ status: 1 });
  });
});

describe('the launcher of a checkout', () => {
  it('treats the version in the same way', async () => {
    const launcher = fileURLToPath(new URL('../../../build/scripts/homeport.mjs', import.meta.url));

    expect(await shell(`"$NODE" ${launcher} --version | true`)).toMatchObject({ status: 0, errors: '' });
    const full = await shell(`"$NODE" ${launcher} --version > /dev/full`);
    expect(full).toMatchObject({ status: 1, errors: expect.stringMatching(/^error: The output cannot be .*\n$/) });
  });
});

describe('homeport connections get', () => {
  it('is no use of the connection, and homeport token is', async () => {
    const before = (await fetchedAt()) ?? '';
    const used = await shell('homeport token me');
    expect(used.status).toBe(0);
    const after = await fetchedAt();
    expect(after).not.toBe(before);

    expect(await fetchedAt()).toBe(after);
    expect((await shell('homeport connections list --json')).status).toBe(0);
    expect(await fetchedAt()).toBe(after);
  });

  async function fetchedAt(): Promise<string | null> {
    const { errors, output, status } = await shell('homeport connections get me --json');
    expect([status, errors]).toEqual([0, '']);
    const shown = JSON.parse(output);
    expect(shown.credentials).toEqual({ type: 'API_KEY' });
    return shown.last_fetched_at;
  }
});
