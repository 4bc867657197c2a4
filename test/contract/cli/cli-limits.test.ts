import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller } from '../http/api-caller.ts';

let server: InProcessServer;
beforeAll(async () => {
  server = await startInProcess();
});
afterAll(() => server?.stop());

const cli = (...args: string[]): Promise<CliRun> =>
  runCli(['agents', 'limits', ...args], { cwd: server.home, home: server.home });

it('agents limits shows limits and what is used, and changes one without the others', async () => {
  const api = new ApiCaller(server);
  const { body } = await api.send('POST /environment/api-keys', {
    body: { display_name: 'Agent', scopes: ['environment:proxy'] },
  });
  const { id } = (body as { data: { id: number } }).data;

  expect((await cli()).output).toMatch(/each session +120 +no limit +1000/);
  expect((await cli('set', 'key', String(id), '--writes', '10', '--hosts', 'api.github.com')).status).toBe(0);
  const changed = await cli('set', 'key', String(id), '--calls-per-minute', '60', '--writes', 'none');
  expect(changed.output).toContain('calls_per_minute: 60');
  expect((await cli('--json')).json()).toMatchObject({
    limits: expect.arrayContaining([
      expect.objectContaining({
        kind: 'key',
        id: String(id),
        limits: expect.objectContaining({ calls_per_minute: 60, writes: null, hosts: ['api.github.com'] }),
      }),
    ]),
  });
  const one = await cli('set', 'key', String(id), '--writes', 'default', '--json');
  expect(one.json()).toMatchObject({ own: ['hosts', 'calls_per_minute'] });
  expect((await cli('set', 'key', String(id), '--defaults', '--calls', '7')).output).toMatch(
    /calls_per_minute: no limit \(default\)\n *calls: 7\n/,
  );
});

it.each([
  [['set', 'nobody', 'x', '--calls', '1'], 'Name one of sessions, key'],
  [['set', 'key', '--calls', '1'], 'Name the id of the key'],
  [['set', 'sessions', '--calls', 'many'], 'takes a number or "none" or "default"'],
  [['set', 'run', 'x', '--calls', '1'], 'Name one of sessions, key'],
  [['set', 'sessions'], 'Say what to change'],
])('explains %j', async (args, reason) => {
  const run = await cli(...args);

  expect(run.status).toBe(64);
  expect(run.errors).toContain(reason);
});
