// @module-tag slow
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionSource, removeFunction, saveFunction } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';

const GREET = 'demo/actions/greet.ts';
/** In the workspace before the server starts. Its check and that of the first saved file share one process. */
const SAVED_BEFORE = 'demo/actions/early.ts';
const GOOD = 'return { text: String(input), at: nango.connectionId };';
const BAD = 'await nango.log("x"); return nango.conectionId + input;';
/** Imports a file for its types only, so that the bundle does not contain it. */
const TYPED = `import type { Size } from '../size.js';
${actionSource('const size: Size = { width: 1 }; return { size, of: [nango.provider, input] };')}`;

let home: TempHome;
let server: InProcessServer;
let dashboard: DashboardClient;

beforeAll(async () => {
  home = await createTempHome();
  const workspace = join(home.path, 'functions');
  await saveFunction(workspace, SAVED_BEFORE, actionSource(BAD));
  server = await startInProcess({
    home: home.path,
    env: { HOMEPORT_TYPE_CHECK: '1', HOMEPORT_FUNCTIONS: workspace },
  });
  dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

function save(path: string, text: string): Promise<void> {
  return saveFunction(server.workspace, path, text);
}

async function read(name: string) {
  const params = { integrationKey: 'demo', type: 'action', name };
  return await dashboard.call('GET /api/v1/functions/:integrationKey/:type/:name', { params });
}

async function waitForStatus(name: string, status: string): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const { data } = await dashboard.call('GET /api/v1/functions', { query: { integrations: 'demo' } });
    return data.some((row) => row.name === name && row.status === status);
  };
  await waitFor(isThere, { what: `${name} to be ${status}` });
}

async function deployMessages(): Promise<string[]> {
  const { data } = await dashboard.call('GET /api/v1/logs/operations', { query: { types: 'deploy' } });
  return data.map(({ state, message }) => `${state}: ${message}`);
}

describe('type errors of a function', () => {
  it('are shown at their line while the version runs, and disappear when they are fixed', async () => {
    await save(GREET, actionSource(BAD));
    await waitForStatus('greet', 'type_error');
    const shown = await read('greet');

    await save(GREET, actionSource(GOOD));
    await waitForStatus('greet', 'no_integration');

    // The page shows both; the provider shows that there is no integration.
    expect(shown).toMatchObject({
      status: 'type_error',
      provider: null,
      version: '1.0.0',
      problem: { code: 'TS2551', line: 10, message: expect.stringContaining("Did you mean 'connectionId'") },
    });
    expect(shown.problems).toHaveLength(1);
    const message = 'success: greet has a type error. Version 1.0.0 runs anyway.';
    await waitFor(async () => (await deployMessages()).includes(message), { what: 'the log to tell' });
    // A success that names an error is shown as one with a warning.
    const { data } = await dashboard.call('GET /api/v1/logs/operations', { query: { types: 'deploy' } });
    expect(data.find((one) => `success: ${one.message}` === message)?.error?.message).toContain('TS2551');
  });

  it('lead, and names that are never read are hints below them', async () => {
    const path = 'demo/actions/unused.ts';
    await save(path, actionSource('const spare = 1; return nango.conectionId + input;'));
    await waitForStatus('unused', 'type_error');
    const both = await read('unused');
    expect(both.problem).toMatchObject({ code: 'TS2551' });
    expect([both.problems.map(({ code }) => code), both.hints.map(({ code }) => code)]).toEqual([
      ['TS2551'],
      ['TS6133'],
    ]);

    await save(path, actionSource('const spare = 1; return nango.connectionId + input;'));
    await waitForStatus('unused', 'no_integration');
    await waitFor(async () => (await read('unused')).hints.length === 1, { what: 'the hint alone' });
    expect(await read('unused')).toMatchObject({ problem: null, problems: [], hints: [{ code: 'TS6133' }] });
  });

  it('follow a file that is imported for its types only', async () => {
    await save('demo/actions/typed.ts', TYPED);
    await waitForStatus('typed', 'type_error');
    const missing = await read('typed');

    await save('demo/size.ts', 'export interface Size { width: number }\n');
    await waitForStatus('typed', 'no_integration');
    await save('demo/size.ts', 'export interface Size { width: string }\n');
    await waitForStatus('typed', 'type_error');

    expect(missing.problem).toMatchObject({ code: 'TS2307', line: 1 });
    expect((await read('typed')).problem).toMatchObject({ code: 'TS2322' });
    await removeFunction(server.workspace, 'demo/actions/typed.ts');
  });

  it('do not hide that a file no longer compiles', async () => {
    await save(GREET, actionSource(BAD));
    await waitForStatus('greet', 'type_error');

    await save(GREET, `${actionSource(BAD)}}`);
    await waitForStatus('greet', 'compile_error');

    expect((await read('greet')).version).toBe('1.0.0');
  });

  it('are found by a start in files that were saved while the server was down', async () => {
    await waitForStatus('early', 'type_error');
  });
});
