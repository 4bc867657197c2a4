// @module-tag slow
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayWidth } from '../../../server/platform/lib/text-table.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli, runCliInTerminal, runCliProcess } from '../../support/run-cli.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

let hub: FunctionHub;
let folder: TempHome;
beforeAll(async () => {
  folder = await createTempHome();
  await mkdir(join(folder.path, 'empty'));
  hub = await startFunctionHub({ 'actions/echo.ts': actionSource('return input ?? null;') });
});
afterAll(async () => {
  await hub?.stop();
  await folder.remove();
});

const here = (): { cwd: string; home: string } => ({ cwd: join(folder.path, 'empty'), home: hub.server.home });
const cli = (...args: string[]): Promise<CliRun> => runCli(args, here());

/** Lines that are wider than the terminal although they have a place to break. */
function tooWide(output: string, columns: number): string[] {
  return stripVTControlCharacters(output)
    .split(/\r?\n/)
    .filter((line) => displayWidth(line) > columns && /\S\s+\S/.test(line));
}

describe.skipIf(process.platform !== 'linux')('a message on a terminal', () => {
  const messages = [
    { args: ['compile'], says: 'is no project' },
    { args: ['connections', 'get', 'nobody'], says: 'There is no connection "nobody".' },
    { args: ['connections', 'list', '--integration', 'nobody'], says: 'has no connections in' },
    { args: ['environments', 'delete', 'nowhere'], says: 'There is no environment' },
    { args: ['conections', 'list'], says: 'Did you mean connections?' },
    { args: ['help', 'connections', 'add'], says: 'add a connection with credentials' },
    { args: ['help'], says: 'stopped, or a question' },
    { args: ['actions', 'run', 'echo', 'c1', '--input', '{"a'], says: 'is not JSON' },
    { args: ['status'], says: 'data folder' },
  ];

  it.each(messages)('wraps by words at 40 and 80 columns: $args', async ({ args, says }) => {
    for (const columns of [40, 80]) {
      const run = await runCliInTerminal(args, { ...here(), columns });
      expect([columns, tooWide(run.output, columns)]).toEqual([columns, []]);
      expect(run.output.replaceAll(/\s+/g, ' ')).toContain(says);
    }
  });

  it('wraps a question, and takes the answer', async () => {
    const run = await runCliInTerminal(['connections', 'delete', 'c1'], { ...here(), columns: 40, answers: ['n'] });

    expect(run.status).toBe(130);
    expect(tooWide(run.output, 40)).toEqual([]);
    expect(run.output.replaceAll(/\s+/g, ' ')).toContain('Delete c1 of acme with its records? [y/N]');
  });

  it('has no colour with NO_COLOR', async () => {
    const args = ['connections', 'get', 'nobody'];
    const plain = await runCliInTerminal(args, { ...here(), columns: 80, env: { NO_COLOR: '1', TERM: 'xterm' } });
    const coloured = await runCliInTerminal(args, { ...here(), columns: 80, env: { TERM: 'xterm' } });

    expect(plain.output).not.toContain('\u001B[3');
    expect(coloured.output).toContain('\u001B[31merror:');
  });

  it('leaves a document to copy as it is', async () => {
    const run = await runCliInTerminal(['connections', 'get', 'c1'], { ...here(), columns: 40 });

    expect(JSON.parse(run.output)).toMatchObject({ connection_id: 'c1' });
  });
});

describe('a message that is no terminal', () => {
  it('is one line for each sentence that was written as one', async () => {
    const run = await runCliProcess(['compile'], { ...here(), env: { COLUMNS: '40' } });

    expect([run.status, run.errors.trimEnd().split('\n')]).toEqual([64, [expect.stringContaining('is no project')]]);
  });
});

/** Refusals of the hub and of the command line, each by a mistake of its own. */
const REFUSALS: Array<{ args: string[]; says: string }> = [
  { args: ['connections', 'add', 'acme', 'bad id\t', '-c', '{"apiKey": "x"}'], says: 'Use only letters, digits' },
  { args: ['connections', 'add', 'acme', 'x', '-c', '{}'], says: 'credentials.apiKey: is missing' },
  {
    args: ['connections', 'add', 'acme', 'x', '-c', '{"apiKey": 1}'],
    says: 'credentials.apiKey: must be string, not number',
  },
  { args: ['environments', 'create', 'Bad Name'], says: 'letters, digits, _ and -' },
  { args: ['settings', 'set', 'webhook.primary_url', 'nonsense'], says: 'http' },
  { args: ['settings', 'set', 'allowed_hosts', 'a b c'], says: 'host name' },
  { args: ['integrations', 'create', 'stripe-api-key', 'bad/key'], says: 'Use only letters, digits' },
  { args: ['keys', 'create', ''], says: 'at least 1 character' },
  { args: ['keys', 'create', 'x', '--scopes', 'nonsense'], says: 'There is no such scope' },
  { args: ['api', 'GET', '/connections?limit=abc'], says: 'limit' },
  { args: ['api', 'GET', '/records?model=Item'], says: 'connection-id' },
  { args: ['api', 'POST', '/connections', '-f', 'nothing=1'], says: 'is missing' },
  { args: ['records', 'list', 'not a model!', 'c1'], says: 'model' },
  { args: ['records', 'list', 'Item', 'c1', '--filter', 'nonsense'], says: 'filter' },
  { args: ['mcp', 'allow', 'no-such-tool'], says: 'no-such-tool' },
  { args: ['syncs', 'run', 'bad name', 'c1'], says: 'No such sync' },
  { args: ['actions', 'run', 'bad name', 'c1'], says: 'action' },
  { args: ['webhooks', 'get', 'nonsense'], says: 'webhook' },
  { args: ['webhooks', 'list', '--limit', 'abc'], says: 'limit' },
  { args: ['webhooks', 'list', '--type', 'nonsense'], says: 'type' },
  { args: ['logs', 'nonsense'], says: 'operation' },
  { args: ['functions', 'get', 'bad name'], says: 'There is no function' },
  { args: ['actions', 'run', 'echo', 'c1', '--input', '@.'], says: 'this is a folder, not a file' },
  { args: ['actions', 'run', 'echo', 'c1', '--input', '@nowhere'], says: 'there is no such file' },
  { args: ['providers', 'show', 'nothing'], says: 'searches the catalogue' },
  { args: ['export', 'nowhere/x.json'], says: 'nowhere/x.json: its folder does not exist' },
  { args: ['backup', 'nowhere/x.db'], says: 'nowhere/x.db: its folder does not exist' },
  { args: ['providers', 'check', 'nowhere.yaml'], says: 'there is no such file' },
  { args: ['providers', 'check', '.'], says: 'this is a folder, not a file' },
  { args: ['import', 'nowhere.json'], says: 'there is no such file' },
  { args: ['import', '.'], says: 'this is a folder, not a file' },
  { args: ['verify', '.'], says: 'is a folder, not a file' },
  { args: ['backup', '.', '--auto-confirm'], says: 'is a folder, not a file' },
  { args: ['api', 'POST', '/connections', '--input', '.'], says: 'this is a folder, not a file' },
  { args: ['export', 'x.json', '--credentials', '--passphrase-file', 'nowhere'], says: 'there is no such file' },
];

describe('a refusal', () => {
  it('of a file that is no database names no code', async () => {
    await writeFile(join(here().cwd, 'junk.db'), 'this is no database, but it is a text that is long enough');
    const run = await cli('verify', 'junk.db');

    expect([run.status, run.errors]).toEqual([1, expect.stringMatching(/junk\.db .*not a database/)]);
    expect(run.errors).not.toContain('SQLITE');
  });

  it('shows the shape of credentials only where these are wrong', async () => {
    expect((await cli('connections', 'add', 'acme', 'x', '-c', '{}')).errors).toContain('takes --credentials');
    expect((await cli('connections', 'add', 'acme', 'a\tb', '-c', '{"apiKey": "x"}')).errors).not.toContain('takes');
  });

  it.each(REFUSALS)('is a sentence without codes and patterns: $args', async ({ args, says }) => {
    const run = await cli(...args);

    expect(run.status).not.toBe(0);
    // `api` prints the document of the refusal as it came.
    expect(run.errors).toContain(says);
    expect(run.errors).toMatch(/^error: [A-Z./"-]/m);
    expect(run.errors).not.toMatch(
      /\b[a-z]+_[a-z_]+\b(?=\)?\.?$)|\/\^|must match|received undefined|\b(E[A-Z]{4,}|SQLITE_\w+)\b|: Invalid input|invalid_/m,
    );
  });
});
