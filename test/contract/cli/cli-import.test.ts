import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const TEMPLATES = fileURLToPath(new URL('../../../functions/templates/', import.meta.url));
const PASSPHRASE = { HOMEPORT_PASSPHRASE: 'correct horse battery' };

let hub: FunctionHub;
let fresh: InProcessServer;
let project: TempHome;
beforeAll(async () => {
  project = await createTempHome();
  hub = await startFunctionHub({ 'actions/of-file.ts': actionSource('return 1;') });
  expect((await run(['export', 'exported.json', '--credentials'], hub.server.home)).status).toBe(0);
});
beforeEach(async () => {
  fresh = await startInProcess({ hasExamples: true });
});
afterEach(() => fresh?.stop());
afterAll(async () => {
  await hub?.stop();
  await project.remove();
});

const run = (args: string[], home: string): Promise<CliRun> =>
  runCli(args, { cwd: project.path, home, env: PASSPHRASE });
const importIt = (file: string): Promise<CliRun> => run(['import', file, '--json', '--auto-confirm'], fresh.home);

it('brings the providers of a workspace along, and passes over functions that are the same here', {
  tags: ['slow'],
}, async () => {
  const exported = JSON.parse(await readFile(join(project.path, 'exported.json'), 'utf8'));
  // Every fresh hub has these in its folder.
  for (const path of ['practice/actions/create-issue.ts', 'practice/models.ts', 'practice/unchanged-issue.ts'])
    exported.functions[path] = await readFile(join(TEMPLATES, path), 'utf8');
  await writeFile(join(project.path, 'all.json'), JSON.stringify(exported));

  const asked = await run(['import', 'all.json'], fresh.home);
  expect([asked.status, asked.errors]).toEqual([64, expect.stringContaining('these providers are added')]);
  expect(asked.errors).not.toContain('providers.yaml,');
  const imported = await importIt('all.json');

  expect(imported.json()).toEqual({ integrations: 1, connections: 1, functions: 1, skipped: [] });
  expect(imported.status).toBe(0);
  expect(await readFile(join(fresh.workspace, 'providers.yaml'), 'utf8')).toContain('acme:');
  expect((await run(['token', 'c1'], fresh.home)).output.trim()).toBe('acme-key');
});

it('writes and reads a ZIP file with the functions as files, and refuses one that was changed', {
  tags: ['slow'],
}, async () => {
  expect((await run(['export', 'all.zip', '--credentials'], hub.server.home)).status).toBe(0);
  const files = unzipSync(await readFile(join(project.path, 'all.zip')));
  const path = 'functions/acme/actions/of-file.ts';
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['checksums.json', 'export.json', path]));
  await writeFile(join(project.path, 'changed.zip'), zipSync({ ...files, [path]: strToU8('changed') }));

  const changed = await run(['import', 'changed.zip', '--auto-confirm'], fresh.home);
  expect([changed.status, changed.errors]).toEqual([1, expect.stringContaining(`${path} has another checksum`)]);
  const imported = await importIt('all.zip');
  expect([imported.status, imported.json()]).toEqual([0, expect.objectContaining({ integrations: 1, connections: 1 })]);
});

it('ends with 1 and says so when a provider of that name is another one here', { tags: ['slow'] }, async () => {
  const path = join(fresh.workspace, 'providers.yaml');
  await importIt('exported.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace(/display_name: .*/, 'display_name: Mine'));

  const imported = await importIt('exported.json');

  expect(imported.status).toBe(1);
  expect(imported.json().skipped).toEqual([expect.stringMatching(/^provider acme: .* has another entry/)]);
  expect(await readFile(path, 'utf8')).toContain('display_name: Mine');
});

it('says in a few words what is wrong with a file that is not an export', async () => {
  await writeFile(join(project.path, 'package.json'), '{"name":"x"}');
  await writeFile(join(project.path, 'broken.json'), '{');

  const wrong = await run(['import', 'package.json'], fresh.home);
  const broken = await run(['import', 'broken.json'], fresh.home);
  const missing = await run(['import', 'missing.json'], fresh.home);

  expect([wrong.status, broken.status, missing.status]).toEqual([64, 64, 64]);
  expect(wrong.errors).toContain('package.json is not an export of Homeport ("format"');
  expect(wrong.errors.trim().split('\n')).toHaveLength(1);
  expect(broken.errors).toContain('is not JSON');
  expect(missing.errors).toContain('cannot be read');
});
