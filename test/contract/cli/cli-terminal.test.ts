// @module-tag slow
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_ENTRY, runCli, runCliInTerminal } from '../../support/run-cli.ts';
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

    expect(run.output).toContain('1 function compiled');
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
