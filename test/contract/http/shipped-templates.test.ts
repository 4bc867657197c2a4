import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';

const TEMPLATES = fileURLToPath(new URL('../../../functions/templates', import.meta.url));
const folders = (await readdir(TEMPLATES, { withFileTypes: true })).filter((one) => one.isDirectory());

let server: InProcessServer;
let api: ApiCaller;
beforeAll(async () => {
  server = await startInProcess({ hasExamples: true });
  api = new ApiCaller(server);
});
afterAll(() => server?.stop());

/** `action/create-issue` for each file of a folder, which may be missing. */
async function filesOf(provider: string, kind: 'action' | 'sync'): Promise<string[]> {
  const files = await readdir(`${TEMPLATES}/${provider}/${kind}s`).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return files.sort().map((file) => `${kind}/${file.replace(/\.ts$/, '')}`);
}

describe('the templates that ship', () => {
  it.each(folders.map(({ name }) => name))('are offered for %s, actions first, by name', async (provider) => {
    const known = await api.send(`GET /providers/${provider}`);
    const { status, body } = await api.send(`GET /providers/${provider}/templates`);

    const { data } = body as { data: Array<Record<string, unknown>> };
    expect([known.status, status]).toEqual([200, 200]);
    expect(data.map((one) => `${one['type']}/${one['name']}`)).toEqual([
      ...(await filesOf(provider, 'action')),
      ...(await filesOf(provider, 'sync')),
    ]);
    expect(data.filter((one) => !one['description'] || !one['json_schema'])).toEqual([]);
  });

  it('are left where they are: a new workspace has the practice functions only', async () => {
    expect(await readdir(server.workspace)).toEqual(['practice']);
  });
});
