import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

let hub: FunctionHub;
let project: TempHome;
beforeAll(async () => {
  [hub, project] = await Promise.all([startFunctionHub({}), createTempHome()]);
  await mkdir(join(project.path, 'acme/actions'), { recursive: true });
});
afterAll(async () => {
  await hub?.stop();
  await project?.remove();
});

const cli = (...args: string[]): Promise<CliRun> => runCli(args, { cwd: project.path, home: hub.server.home });
const action = (name: string, body: string): Promise<void> =>
  writeFile(join(project.path, `acme/actions/${name}.ts`), actionSource(body));

it('test --drift finds what a provider answers in another form, and writes nothing', { timeout: 120_000 }, async () => {
  hub.provider.on('GET /v1/issues', { body: { data: [{ id: 7, title: 'a' }] } }).on('POST /v1/issues', { body: {} });
  await action('read', "const { data } = await nango.get({ endpoint: '/v1/issues' }); return [data, input];");
  await action('write', "await nango.post({ endpoint: '/v1/issues', data: { input } }); return null;");
  await action(
    'both',
    "const { data } = await nango.get({ endpoint: '/v1/issues' }); if (!data.data[0].title) await nango.post({ endpoint: '/v1/issues' }); return input;",
  );
  for (const name of ['read', 'write', 'both']) {
    const saved = await cli('dryrun', name, 'c1', '--save');
    expect(saved.status, saved.errors).toBe(0);
  }

  const same = await cli('test', '--drift', 'read');
  expect([same.status, same.output]).toEqual([0, expect.stringContaining('1 compared, 0 changed, 0 left out')]);

  const writes = hub.provider.requests.filter(({ method }) => method === 'POST').length;
  hub.provider.on('GET /v1/issues', { body: { data: [{ id: 'seven' }] } });
  const changed = await cli('test', '--drift');
  expect(changed.status).toBe(12);
  expect(changed.output).toContain('GET /v1/issues: data[].id was number, is text');
  expect(changed.output).toContain('GET /v1/issues: data[].title is gone (text)');
  expect(changed.output.replaceAll(/\s+/g, ' ')).toContain('write.ts: its recording has requests that write');
  expect(changed.output.replaceAll(/\s+/g, ' ')).toContain('both.ts: the run failed: This run may only read');
  expect(hub.provider.requests.filter(({ method }) => method === 'POST')).toHaveLength(writes);

  const json = (await cli('test', '--drift', 'read', '--json')).json();
  expect(json).toMatchObject({ compared: 1, changed: 1, results: [{ path: 'acme/actions/read.ts' }] });
  await hub.addConnection('c2');
  const several = await cli('test', '--drift', 'read');
  expect(several.output).toContain('acme has 2 connections: choose with --connection');
  expect((await cli('test', '--drift', 'read', '--connection', 'c2')).status).toBe(12);
});
