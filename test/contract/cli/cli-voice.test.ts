import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

let server: InProcessServer;
let home: TempHome;
let folder: TempHome;
beforeAll(async () => {
  home = await createTempHome();
  folder = await createTempHome();
  await mkdir(join(folder.path, 'empty'));
  server = await startInProcess({ home: home.path });
});
afterAll(async () => {
  await server?.stop();
  await home.remove();
  await folder.remove();
});

const cli = (...args: string[]): Promise<CliRun> =>
  runCli(args, { cwd: join(folder.path, 'empty'), home: home.path, env: { NO_COLOR: '1' } });

describe('homeport help', () => {
  it('explains a command of two words, as its option --help does', async () => {
    const byWords = await cli('help', 'connections', 'get');
    const byOption = await cli('connections', 'get', '--help');

    expect([byWords.status, byWords.errors]).toEqual([0, '']);
    expect(byWords.output).toContain('one connection');
    expect(byWords.output).toBe(byOption.output);
  });

  it.each([['nonsense'], ['connections', 'nonsense']])('refuses what is no command: %s %s', async (...words) => {
    const run = await cli('help', ...words);

    expect([run.status, run.output]).toEqual([64, '']);
    expect(run.errors).toMatch(/^error: There is no command ".*nonsense"\. There are: .*\n$/);
  });

  it('lists the exit statuses, and only options that have an effect', async () => {
    const { output } = await cli('help');

    for (const status of [0, 1, 10, 11, 12, 64, 65, 78, 130])
      expect(output).toMatch(new RegExp(`^  ${status} +\\w`, 'm'));
    expect(output).not.toMatch(/without effect|--no-telemetry|--auto-confirm/);
    expect((await cli('help', 'logs')).output).not.toContain('--auto-confirm');
    expect((await cli('help', 'restore')).output).toContain('--auto-confirm');
  });
});

describe('a usage error', () => {
  const mistakes = [
    { args: ['nonsense'], help: 'help" for all commands' },
    { args: ['conections', 'list'], help: 'Did you mean connections?' },
    { args: ['connections', 'get'], help: 'help connections get" for its options' },
    { args: ['connections', 'list', '--nonsense'], help: 'help connections list" for its options' },
    { args: ['connections', 'list', 'too', 'many'], help: 'help connections list"' },
    { args: ['logs', '--limit'], help: 'help logs"' },
    { args: ['connections'], help: 'list, get, add, delete' },
  ];

  it.each(mistakes)('is one sentence on stderr that names its help: $args', async ({ args, help }) => {
    const run = await cli(...args);

    expect([run.status, run.output]).toEqual([64, '']);
    expect(run.errors.split('\n').filter((line) => /^error: [A-Z]/.test(line))).toHaveLength(1);
    expect(run.errors).toContain(help);
  });

  it.each(mistakes)('is JSON on stdout with --json: $args', async ({ args, help }) => {
    const run = await cli(...(args.at(-1) === '--limit' ? ['--json', ...args] : [...args, '--json']));

    expect([run.status, run.errors]).toEqual([64, '']);
    expect(run.json()).toEqual({ error: { code: 'invalid_usage', message: expect.stringContaining(help) } });
  });

  it('has a code with --json whatever failed', async () => {
    expect((await cli('connections', 'get', 'nobody', '--json')).json().error.code).toBe('failed');
    expect((await cli('restore', 'nothing.db', '--json')).json().error.code).toBe('failed');
    const wrong = await runCli(['connections', 'list', '--json'], {
      cwd: folder.path,
      home: home.path,
      env: { HOMEPORT_PORT: 'abc' },
    });
    expect([wrong.status, wrong.json().error.code]).toEqual([1, 'invalid_configuration']);
  });
});

describe('the options', () => {
  it.each(['-e', '--env', '--environment'])(
    'take the environment as %s in every command that has one',
    async (name) => {
      for (const command of [['connections', 'list'], ['settings', 'get'], ['logs'], ['doctor'], ['mcp', 'list']]) {
        const run = await cli(...command, name, 'nowhere');
        expect(run.status, command.join(' ')).toBe(1);
        expect(run.output + run.errors).toMatch(/nowhere/);
      }
      const help = (await cli('help', 'settings', 'get')).output;
      expect(help).toContain('-e, --env <name>');
      expect(help).not.toContain('--environment');
    },
  );

  it.each(['-i', '--integration', '--integration-id'])('take the integration as %s', async (name) => {
    const run = await cli('connections', 'list', name, 'practice', '--json');
    expect([run.status, run.json()]).toEqual([0, []]);
  });
});

describe('an empty answer', () => {
  it('is true of what was asked for', async () => {
    expect((await cli('connections', 'list', '-i', 'nope')).errors).toContain('"nope" has no connections in dev');
    expect((await cli('connections', 'list')).errors).toContain('There are no connections in dev yet');
    expect((await cli('webhooks', 'list', '--failed')).errors).toContain('No webhook fits');
    expect((await cli('logs', '--failed')).errors).toContain('Nothing failed');
  });

  it('is nothing for a setting that is not set', async () => {
    const run = await cli('settings', 'get', 'webhook.primary_url');

    expect([run.status, run.output.trim(), run.errors]).toEqual([0, '', '']);
  });
});

describe('a hint', () => {
  it('has the shape of the credentials of that provider', async () => {
    const basic = await cli('connections', 'add', 'stripe-api-key', 'shop');
    const oauth = await cli('connections', 'add', 'github', 'me');

    expect([basic.status, oauth.status]).toEqual([64, 64]);
    expect(basic.errors).toContain('{"username": "<Secret key');
    expect(oauth.errors).toContain('"access_token"');
  });

  it('says how a switch is turned off', async () => {
    const run = await cli('settings', 'unset', 'webhook.on_sync_error');

    expect([run.status, run.errors]).toEqual([64, expect.stringContaining('set webhook.on_sync_error false')]);
  });
});

describe('a thing that does not exist', () => {
  it.each([
    [['connections', 'delete', 'nobody']],
    [['environments', 'delete', 'nowhere']],
    [['providers', 'approve', 'nothing']],
    [['restore', 'nothing.db']],
  ])('is exit status 1: %s', async (args) => {
    expect((await cli(...args)).status).toBe(1);
  });
});
