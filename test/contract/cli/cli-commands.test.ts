import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT_MEANINGS, SERVER_EXIT } from '../../../server/cli/cli-failure.ts';
import type { DescribedCommand } from '../../../server/cli/command-page.ts';
import { EXIT_DAMAGED_DATABASE, EXIT_WRONG_MASTER_KEY } from '../../../server/contract/shell-messages.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli, runCliProcess } from '../../support/run-cli.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const PAGE = new URL('../../../server/cli/commands.md', import.meta.url);

let folder: TempHome;
let commands: DescribedCommand[];
beforeAll(async () => {
  folder = await createTempHome();
  await mkdir(join(folder.path, 'empty'));
  commands = (await cli('help', '--all', '--json')).json();
});
afterAll(() => folder.remove());

const cli = (...args: string[]): Promise<CliRun> =>
  runCli(args, { cwd: join(folder.path, 'empty'), home: folder.path });

const optionsOf = ({ options }: DescribedCommand): string[] => options.map(({ flags }) => flags);

describe('the page of every command', () => {
  it('is what the definitions say (UPDATE_GOLDEN=1 writes it again)', async () => {
    const page = (await cli('help', '--all')).output;
    if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(PAGE, page);

    expect(await readFile(PAGE, 'utf8')).toBe(page);
    for (const { command } of commands) expect(page).toMatch(new RegExp(`^\\| \`${command}[ \`]`, 'm'));
  });
});

describe('every command', () => {
  it('has its exit statuses, an example, and both in its help', async () => {
    expect(commands.length).toBeGreaterThan(60);
    for (const { command, examples, exit_statuses } of commands) {
      expect([command, exit_statuses, examples]).toEqual([
        command,
        expect.arrayContaining([0, 1, 64, 130]),
        expect.arrayContaining([expect.stringMatching(new RegExp(`^homeport ${command}( |$)`))]),
      ]);
      const byWords = await cli('help', ...command.split(' '));
      expect([command, byWords.status, byWords.errors]).toEqual([command, 0, '']);
      expect(byWords.output).toBe((await cli(...command.split(' '), '--help')).output);
      for (const example of examples) expect(byWords.output).toContain(`  ${example}\n`);
      const [, listed = ''] = byWords.output.split('\nExit status:\n');
      const meanings = new Map(EXIT_MEANINGS);
      for (const status of exit_statuses)
        expect(listed).toContain(`  ${String(status).padEnd(4)}${meanings.get(status)}\n`);
      expect(listed.match(/^ {2}\d+ /gm)).toHaveLength(exit_statuses.length);
    }
  });

  it('has examples with options that it has', () => {
    for (const { command, examples, options } of commands) {
      const known = options.flatMap(({ flags }) => flags.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? []);
      for (const example of examples) {
        // What stands in quotes is a value.
        const used = example.replaceAll(/'[^']*'|"[^"]*"/g, '').match(/(?<= )--?[a-z][\w-]*/gi) ?? [];
        expect([command, used.filter((one) => !known.includes(one))]).toEqual([command, []]);
      }
    }
  });

  it('prints JSON, takes a filter, and chooses the environment by one name', () => {
    // They work on a project, on the data folder, on the hub as a whole, or on the command line itself.
    const withoutEnvironment = [
      ...['init', 'create', 'migrate', 'clone', 'dev', 'compile', 'generate tests', 'generate docs', 'types'],
      ...['backup', 'restore', 'verify', 'key status', 'key rotate', 'key move', 'key reset'],
      ...['providers list', 'providers check', 'providers import', 'providers approve'],
      ...['serve', 'status', 'stop', 'restart', 'open', 'completion', 'version', 'help'],
      // `--env` names a variable there (agents.md 8).
      'run',
    ];
    for (const described of commands) {
      expect(optionsOf(described), described.command).toEqual(expect.arrayContaining(['--json', '--jq <filter>']));
      const integration = optionsOf(described).find((flags) => flags.includes('--integration '));
      // In `dryrun`, -i is the input.
      if (described.command !== 'dryrun')
        expect(integration ?? '-i, --integration <key>').toBe('-i, --integration <key>');
    }
    const having = commands.filter((one) => optionsOf(one).includes('-e, --env <name>')).map(({ command }) => command);
    expect(
      commands
        .map(({ command }) => command)
        .filter((one) => !having.includes(one))
        .sort(),
    ).toEqual(withoutEnvironment.sort());
  });

  it('has the statuses of the server for the server', () => {
    expect(SERVER_EXIT).toEqual({ damagedDatabase: EXIT_DAMAGED_DATABASE, wrongMasterKey: EXIT_WRONG_MASTER_KEY });
  });
});

describe('an exit status', () => {
  let hub: FunctionHub;
  beforeAll(async () => {
    hub = await startFunctionHub({ 'actions/breaks.ts': actionSource('throw new Error("no row at all");') });
    await writeProject('good', actionSource('return 1;'));
    await writeProject('broken', 'export default createAction({');
  });
  afterAll(() => hub?.stop());

  async function writeProject(name: string, source: string): Promise<void> {
    const root = join(folder.path, name);
    await mkdir(join(root, 'acme/actions'), { recursive: true });
    await writeFile(join(root, 'acme/actions/one.ts'), source);
  }

  const cases: Array<{ status: number; args: string[]; at?: string; hub?: boolean }> = [
    { status: 0, args: ['connections', 'list'], hub: true },
    { status: 0, args: ['stop'] },
    { status: 1, args: ['connections', 'get', 'nobody'], hub: true },
    { status: 3, args: ['connections', 'list'] },
    { status: 3, args: ['connect', 'github'] },
    { status: 3, args: ['webhooks', 'list'] },
    { status: 3, args: ['providers', 'show', 'github'] },
    { status: 3, args: ['status'] },
    { status: 3, args: ['open'] },
    { status: 3, args: ['restart'] },
    { status: 3, args: ['deploy'], at: 'good' },
    { status: 10, args: ['compile'], at: 'broken' },
    { status: 10, args: ['generate', 'docs'], at: 'broken' },
    { status: 10, args: ['deploy'], at: 'broken', hub: true },
    { status: 11, args: ['deploy', '--env', 'nowhere-else'], at: 'good', hub: true },
    { status: 12, args: ['actions', 'run', 'breaks', 'c1'], hub: true },
    { status: 64, args: ['connections', 'get'], hub: true },
    { status: 64, args: ['compile'] },
    { status: 64, args: ['connections', 'delete', 'c1'], hub: true },
  ];

  it.each(cases)('is $status for $args', async ({ args, at = 'empty', hub: hasHub, status }) => {
    const home = hasHub ? hub.server.home : folder.path;
    const env = args.includes('nowhere-else') ? { NANGO_SECRET_KEY_NOWHERE_ELSE: 'no-key' } : {};
    const run = await runCli(args, { cwd: join(folder.path, at), home, env });

    expect([run.status, run.errors]).toEqual([status, expect.any(String)]);
    const described = commands.find(({ command }) => [args[0], args.slice(0, 2).join(' ')].includes(command));
    expect(described?.exit_statuses).toContain(status);
  });

  it('is 130 for a command that Ctrl-C ends', async () => {
    const run = await runCliProcess(['connect', 'acme', '--no-browser'], {
      cwd: folder.path,
      home: hub.server.home,
      onOutput: (text) => (text.includes('Open this address') ? 'stop' : undefined),
    });
    expect([run.status, run.errors]).toEqual([130, expect.stringContaining('Stopped waiting.')]);
  });
});
