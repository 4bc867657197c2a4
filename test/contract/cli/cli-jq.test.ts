import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

let hub: InProcessServer;
let folder: TempHome;
beforeAll(async () => {
  folder = await createTempHome();
  hub = await startInProcess();
  await cli('environments', 'create', 'prod', '--auto-confirm');
});
afterAll(async () => {
  await hub?.stop();
  await folder.remove();
});

const cli = (...args: string[]): Promise<CliRun> => runCli(args, { cwd: folder.path, home: hub.home });

it('prints what a jq filter selects: texts as they are, other values as JSON in one line each', async () => {
  const names = await cli('environments', 'list', '--jq', '.[].name');
  expect(names).toMatchObject({ status: 0, output: 'dev\nprod\n', errors: '' });

  const pairs = await cli('environments', 'list', '--jq', 'map({name}) | .[1:], (. | length)');
  expect(pairs.output).toBe('[{"name":"prod"}]\n2\n');
  expect((await cli('--jq', '.[] | select(.name == "nothing")', 'environments', 'list')).output).toBe('');
  expect((await cli('environments', 'list', '--json', '--jq=def f: .name; map(f) | join("+")')).output).toBe(
    'dev+prod\n',
  );
});

it('refuses a filter that it cannot read before anything is done', async () => {
  const run = await cli('environments', 'create', 'staging', '--jq', '.[');

  expect(run.status).toBe(64);
  expect(run.json().error).toMatchObject({ code: 'invalid_usage', message: expect.stringContaining('--jq') });
  expect((await cli('environments', 'list', '--jq', 'length')).output).toBe('2\n');
});

it('says why a filter does not fit, and prints a failure whole', async () => {
  const run = await cli('environments', 'list', '--jq', '.name');
  expect([run.status, run.json().error.message]).toEqual([
    1,
    expect.stringContaining('Cannot index array with string ("name")'),
  ]);

  const missing = await cli('connections', 'get', 'nobody', '--jq', '.connection_id');
  expect([missing.status, missing.json().error.message]).toEqual([1, expect.stringContaining('no connection')]);
});
