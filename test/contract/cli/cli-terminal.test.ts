// @module-tag slow
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_ENTRY, runCli, runCliInTerminal } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

let folder: TempHome;
beforeAll(async () => {
  folder = await createTempHome();
  const made = await runCli(['init', '--copy'], { cwd: folder.path, home: folder.path });
  expect(made.status).toBe(0);
});
afterAll(() => folder.remove());

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(process.platform !== 'linux')('a command on a terminal', () => {
  it.each([0, 1, 80])('ends and says little when the terminal is %i columns wide', async (columns) => {
    const run = await runCliInTerminal(['compile'], { cwd: folder.path, home: folder.path, columns });

    expect(stripVTControlCharacters(run.output).replaceAll(/\s+/g, ' ')).toContain('1 function compiled');
    expect([run.status, run.output.length < 100_000]).toEqual([0, true]);
  });

  it('ends with 130 when a question is answered by Ctrl-C', async () => {
    const terminal = spawn(
      'script',
      ['-qec', `stty cols 80; exec "${process.execPath}" "${CLI_ENTRY}" create`, '/dev/null'],
      {
        cwd: folder.path,
        // Without `CI`, which turns questions off.
        env: { PATH: process.env['PATH'], TERM: 'xterm', HOME: folder.path, HOMEPORT_HOME: folder.path },
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    );
    let output = '';
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    const ended = new Promise((resolve) => terminal.once('close', resolve));
    await waitFor(() => output.includes('Which kind?'), { what: 'the question' });

    terminal.stdin.write('\x03');

    expect(await ended).toBe(130);
    expect(output).toContain('Nothing was answered.');
  });

  it('ends with the terminal', async () => {
    const terminal = spawn(
      'script',
      ['-qc', `echo pid=$$; exec "${process.execPath}" "${CLI_ENTRY}" dev`, '/dev/null'],
      {
        cwd: folder.path,
        env: { ...process.env, HOME: folder.path, HOMEPORT_HOME: folder.path },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    let output = '';
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    await waitFor(() => output.includes('Watching'), { what: 'the command to be at work' });
    const pid = Number(/pid=(\d+)/.exec(output)?.[1]);
    expect(isAlive(pid)).toBe(true);

    terminal.kill('SIGKILL');

    await waitFor(() => !isAlive(pid), { what: 'the end of the command' });
  });
});

describe('a command', () => {
  it('ends with its parent process', async () => {
    const code = `const { spawn } = require('node:child_process');
      spawn(process.execPath, [${JSON.stringify(CLI_ENTRY)}, 'dev'], {
        stdio: 'inherit', env: { ...process.env, HOMEPORT_LAUNCHER: String(process.pid) } });`;
    const launcher = spawn(process.execPath, ['-e', code], {
      cwd: folder.path,
      env: { ...process.env, HOME: folder.path, HOMEPORT_HOME: folder.path },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let isOver = false;
    let output = '';
    launcher.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    launcher.stderr.once('close', () => {
      isOver = true;
    });
    await waitFor(() => output.includes('Watching'), { what: 'the command to be at work' });

    launcher.kill('SIGKILL');

    // The pipe closes when the last process that holds it has ended.
    await waitFor(() => isOver, { what: 'the end of the command' });
  });

  it('obeys SIGTERM while it waits for a hub that never answers', async () => {
    const asked = Promise.withResolvers<void>();
    const stalled = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
    await new Promise<void>((resolve) => stalled.once('listening', resolve));
    const { port } = stalled.address() as { port: number };
    const child = spawn(process.execPath, [CLI_ENTRY, 'connections', 'list'], {
      cwd: folder.path,
      env: {
        ...process.env,
        HOME: folder.path,
        HOMEPORT_HOME: folder.path,
        NANGO_HOSTPORT: `http://127.0.0.1:${port}`,
        NANGO_SECRET_KEY: '11111111-2222-4333-8444-555555555555',
      },
      stdio: 'ignore',
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await asked.promise;

    child.kill('SIGTERM');

    expect(await ended).toBe(130);
    stalled.closeAllConnections();
    stalled.close();
  });

  it('ends silently when its output is no longer read', async () => {
    const command = `"${process.execPath}" "${CLI_ENTRY}" help 2>errors.txt | true; cat errors.txt`;
    const child = spawn('sh', ['-c', command], { cwd: folder.path, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    await new Promise((resolve) => child.once('close', resolve));

    expect(output).toBe('');
  });
});

describe.skipIf(process.platform !== 'linux')('a question for a secret on a terminal', () => {
  const SECRET = 'typed-secret-4711';
  let hub: InProcessServer;
  let home: TempHome;
  beforeAll(async () => {
    home = await createTempHome();
    hub = await startInProcess({ home: home.path });
  });
  afterAll(async () => {
    await hub?.stop();
    await home.remove();
  });

  /** Types at each question what `typed` says, and shows the exit status and the settings of the terminal after it. */
  async function add(id: string, typed: string[]): Promise<string> {
    const command = `"${process.execPath}" "${CLI_ENTRY}" connections add stripe-api-key ${id}`;
    const terminal = spawn('script', ['-qec', `stty cols 80; ${command}; echo status=$?; stty -a`, '/dev/null'], {
      cwd: home.path,
      // Without `CI`, which turns questions off.
      env: { PATH: process.env['PATH'], TERM: 'xterm', HOME: home.path, HOMEPORT_HOME: home.path },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let output = '';
    let answered = 0;
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (!/: $/.test(stripVTControlCharacters(output)) || answered === output.length) return;
      answered = output.length;
      terminal.stdin.write(typed.shift() ?? '\r');
    });
    await new Promise((resolve) => terminal.once('close', resolve));
    return stripVTControlCharacters(output);
  }

  it('does not show what is typed, and stores it', { tags: ['main-path'] }, async () => {
    const output = await add('shop', [`${SECRET}\r`]);

    expect(output).toMatch(/status=0\b/);
    expect(output).toMatch(/^Secret key \(optional\): \r?$/m);
    expect(output).not.toContain(SECRET);
    expect(output).toMatch(/(?<!-)\becho\b/);
    const stored = await runCli(['token', 'shop', '--json'], { cwd: home.path, home: home.path });
    expect(stored.output).toContain(SECRET);
  });

  it('ends with 130 at Ctrl-C and gives the terminal back as it was', async () => {
    const output = await add('other', [`${SECRET}\x03`]);

    expect(output).toMatch(/status=130\b/);
    expect(output).toContain('Nothing was answered.');
    expect(output).not.toContain(SECRET);
    for (const setting of ['echo', 'icanon', 'isig']) expect(output).toMatch(new RegExp(`(?<!-)\\b${setting}\\b`));
    const listed = await runCli(['connections', 'list', '--json'], { cwd: home.path, home: home.path });
    expect(listed.output).not.toContain('"other"');
  });
});
