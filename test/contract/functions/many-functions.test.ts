import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generatedFunction, generateWorkspace } from '../../support/generated-workspace.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';

const COUNT = 100;
const INTEGRATIONS = ['generated-0', 'generated-1', 'generated-2', 'generated-3', 'twins'];

interface ListedFunction {
  name: string;
  last_deployed: string;
}
interface ListedIntegration {
  providerConfigKey: string;
  actions: ListedFunction[];
  syncs: ListedFunction[];
}

let home: TempHome;
let server: InProcessServer;
let paths: string[];

beforeAll(async () => {
  home = await createTempHome();
  paths = await generateWorkspace(join(home.path, 'functions'), COUNT);
  server = await startInProcess({ home: home.path });
  for (const uniqueKey of INTEGRATIONS) {
    const body = JSON.stringify({ provider: 'practice', unique_key: uniqueKey });
    await fetch(`${server.url}/integrations`, { method: 'POST', body, headers: headers() });
  }
  await waitForAll();
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

function headers(): Record<string, string> {
  return { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' };
}

async function list(): Promise<ListedIntegration[]> {
  const response = await fetch(`${server.url}/scripts/config`, { headers: headers() });
  return (await response.json()) as ListedIntegration[];
}

async function names(): Promise<string[]> {
  return (await list()).flatMap(({ actions, syncs }) => [...actions, ...syncs].map(({ name }) => name));
}

async function waitForAll(): Promise<void> {
  await waitFor(async () => (await names()).filter((name) => /-item/.test(name)).length === COUNT, {
    what: `${COUNT} functions`,
  });
}

/** The last change in the queue is visible after all changes before it. */
async function waitUntilFollowed(): Promise<void> {
  const { path, text } = generatedFunction(COUNT);
  await saveFunction(server.workspace, path, text);
  await waitFor(async () => (await names()).includes(`fetch-items-${COUNT}`), { what: 'the last' });
  await rm(join(server.workspace, path));
  await waitForAll();
}

async function touchAll(): Promise<void> {
  for (const path of paths) await utimes(join(server.workspace, path), new Date(), new Date());
}

describe('a workspace of many functions', () => {
  it('is live as a whole, each function under its own name', async () => {
    const expected = paths.map((path) => path.split('/')[2]?.replace('.ts', ''));

    expect((await names()).sort()).toEqual(expected.sort());
  });

  it('does not change over a restart, even when the times of its files do', { tags: ['slow'] }, async () => {
    const before = await list();
    await touchAll();

    await server.restart();
    await waitUntilFollowed();

    expect(await list()).toEqual(before);
  });

  it('lets one of two functions with the same model go live when both appear at once', { tags: ['slow'] }, async () => {
    const twins = ['one', 'two', 'three'].map((name) => `twins/syncs/${name}.ts`);

    await Promise.all(twins.map((path) => saveFunction(server.workspace, path, syncSource(''))));
    const liveTwins = async (): Promise<string[]> =>
      (await names()).filter((name) => ['one', 'two', 'three'].includes(name));
    await waitFor(async () => (await liveTwins()).length > 0, { what: 'the first of them' });
    await waitUntilFollowed();

    expect(await liveTwins()).toHaveLength(1);
    for (const path of twins) await rm(join(server.workspace, path));
    await waitFor(async () => (await liveTwins()).length === 0, { what: 'the end of them' });
  });
});
