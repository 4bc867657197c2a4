import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestLoginLink } from '../../../server/running-file.ts';
import { ACME_DESCRIPTION } from '../../support/acme-description.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type CallParts, DashboardClient } from './dashboard-client.ts';

const ADDRESS = 'GET /api/v1/integrations/:integrationKey/api-description';
const READ = 'POST /api/v1/integrations/:integrationKey/api-description';
const PREVIEW = 'POST /api/v1/integrations/:integrationKey/described-functions/preview';
const WRITE = 'POST /api/v1/integrations/:integrationKey/described-functions';
const DETAIL = 'GET /api/v1/functions/:integrationKey/:type/:name';
const RUN_TESTS = 'POST /api/v1/functions/:integrationKey/:type/:name/tests/run';

const TEXT = JSON.stringify(ACME_DESCRIPTION);
const FILE = { file: 'openapi.json', text: TEXT };

let server: InProcessServer;
let dashboard: DashboardClient;
let api: Server;
let address: string;
let answer = TEXT;
beforeAll(async () => {
  server = await startInProcess({ env: { HOMEPORT_TYPE_CHECK: '1' } });
  const link = new URL((await requestLoginLink(server.home)) ?? '');
  const code = link.hash.replace('#code=', '');
  dashboard = await DashboardClient.signIn({ url: server.url, signIn: { issueLinkCode: () => code } });
  api = createServer((_, response) => response.writeHead(200).end(answer));
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(api.address() as AddressInfo).port}/openapi.json`;
  for (const key of ['crm', 'other', 'fresh'])
    await dashboard.call('POST /api/v1/integrations', { query: { env: 'dev' }, body: { key, provider: 'hubspot' } });
});
afterAll(async () => {
  api?.close();
  await server?.stop();
});

const paramsOf = (integrationKey: string) => ({ integrationKey });
const read = (body: object, integrationKey = 'crm') => dashboard.call(READ, { params: paramsOf(integrationKey), body });
async function refused(
  key: typeof READ | typeof WRITE | typeof PREVIEW,
  parts: CallParts,
): Promise<{ status: number; message: string }> {
  const response = await dashboard.send(key, parts);
  const body = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: body.error?.message ?? '' };
}
const detail = (integrationKey: string, type: string, name: string) =>
  dashboard.call(DETAIL, { params: { integrationKey, type, name } });
async function live(integrationKey: string, type: string, name: string) {
  await waitFor(
    async () => {
      const found = await dashboard.send(DETAIL, { params: { integrationKey, type, name } });
      return found.status === 200 && ((await found.json()) as { version: string | null }).version !== null;
    },
    { what: `a version of ${name}` },
  );
  return detail(integrationKey, type, name);
}
const fileText = (path: string): Promise<string> => readFile(join(server.workspace, path), 'utf8');

describe('an API description in the dashboard', () => {
  it('is a list of operations with what each would become', async () => {
    const { hash, operations, title } = await read(FILE);
    expect([title, hash]).toEqual(['Acme', expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(operations.map(({ kind, name, operation }) => [operation, kind, name])).toEqual([
      ['GET /categories', 'sync', 'fetch-categories'],
      ['GET /projects/{project_id}/notes', 'sync', 'fetch-notes'],
      ['POST /projects/{project_id}/notes', 'action', 'notes-create'],
      ['GET /tasks', 'sync', 'fetch-tasks'],
      ['GET /tasks/{id}', 'action', 'get-task'],
      ['DELETE /tasks/{id}', 'action', 'delete-task'],
    ]);
    const [categories, notes, , tasks] = operations;
    expect(categories).toMatchObject({
      summary: 'Lists all categories. Slow.',
      list: 'data',
      paging: 'cursor from meta.next_cursor',
      idField: 'id',
      since: null,
      notes: [],
    });
    expect(tasks).toMatchObject({ since: 'updated_since', paging: 'page' });
    expect(notes?.notes).toEqual([
      expect.stringContaining('how the list is paged'),
      expect.stringContaining('project_id'),
    ]);
  });

  it('becomes functions that compile, whose recorded runs pass, and types that know its paths', async () => {
    const { hash } = await read(FILE);
    const body = {
      ...FILE,
      hash,
      operations: [
        { operation: 'GET /categories' },
        { operation: 'GET /tasks', kind: 'action' as const, name: 'list-tasks' },
        { operation: 'POST /projects/{project_id}/notes' },
      ],
    };
    const { functions: shown } = await dashboard.call(PREVIEW, { params: paramsOf('crm'), body });
    expect(shown.map(({ file, problem }) => [file, problem])).toEqual([
      ['crm/syncs/fetch-categories.ts', null],
      ['crm/actions/list-tasks.ts', null],
      ['crm/actions/notes-create.ts', null],
    ]);

    const { functions, types } = await dashboard.call(WRITE, {
      params: paramsOf('crm'),
      body: { ...body, withTypes: true },
    });
    expect(types).toBe('crm/homeport-api.d.ts');
    for (const { code, file, name, recording, type } of functions) {
      expect(await fileText(file)).toBe(code);
      expect(recording).toBe(`crm/tests/${name}.test.json`);
      const found = await live('crm', type, name);
      expect([name, found.status, found.problems]).toEqual([name, 'ok', []]);
      const { data } = await dashboard.call(RUN_TESTS, { params: { integrationKey: 'crm', type, name }, body: {} });
      expect([name, data.map(({ outcome }) => outcome)]).toEqual([name, ['passed']]);
    }

    await mkdir(join(server.workspace, 'crm/actions'), { recursive: true });
    await writeFile(join(server.workspace, 'crm/actions/wrong.ts'), wrongPath);
    await live('crm', 'action', 'wrong');
    await waitFor(async () => (await detail('crm', 'action', 'wrong')).status === 'type_error', {
      what: 'the check of its types',
    });
    const { problems } = await detail('crm', 'action', 'wrong');
    expect(problems[0]?.message).toContain('No overload matches');
  });

  it('is found again where the types came from, or where the entry says it is', async () => {
    expect(await dashboard.call(ADDRESS, { params: paramsOf('fresh') })).toEqual({ address: null });
    const { hash } = await read({ address }, 'fresh');
    const body = { address, hash, operations: [{ operation: 'GET /tasks/{id}' }], withTypes: true };
    await dashboard.call(WRITE, { params: paramsOf('fresh'), body });
    expect(await dashboard.call(ADDRESS, { params: paramsOf('fresh') })).toEqual({ address });
    expect(await fileText('fresh/homeport-api.d.ts')).toContain(hash);

    await dashboard.call('POST /api/v1/integrations', {
      query: { env: 'dev' },
      body: { key: 'gh', provider: 'github' },
    });
    const known = await dashboard.call(ADDRESS, { params: paramsOf('gh') });
    expect(known.address).toMatch(/^https:/);
  });

  it('writes nothing when one of the functions cannot be written', async () => {
    const { hash } = await read(FILE);
    const write = (operations: object[]) =>
      refused(WRITE, { params: paramsOf('other'), body: { ...FILE, hash, operations, withTypes: true } });

    await mkdir(join(server.workspace, 'other/actions'), { recursive: true });
    await writeFile(join(server.workspace, 'other/actions/get-task.ts'), '// mine');
    const taken = await write([{ operation: 'GET /tasks' }, { operation: 'GET /tasks/{id}' }]);
    expect(taken).toEqual({
      status: 409,
      message: expect.stringContaining('other/actions/get-task.ts exists already'),
    });
    const twice = await write([
      { operation: 'GET /tasks', name: 'same' },
      { operation: 'GET /categories', name: 'same' },
    ]);
    expect(twice).toEqual({ status: 409, message: expect.stringContaining('Two of the chosen operations') });
    const strange = await write([{ operation: 'GET /tasks', name: '../out' }]);
    expect(strange.status).toBe(409);
    expect(await fileText('other/actions/get-task.ts')).toBe('// mine');
    await expect(fileText('other/syncs/fetch-tasks.ts')).rejects.toThrow('ENOENT');
    await expect(fileText('other/homeport-api.d.ts')).rejects.toThrow('ENOENT');
  });

  it('that is not one, or changed, ends with the reason', async () => {
    const failure = (body: object) => refused(READ, { params: paramsOf('crm'), body });
    expect(await failure({ file: 'a.json', text: '{"a": 1}' })).toEqual({
      status: 400,
      message: expect.stringContaining('no OpenAPI description'),
    });
    expect((await failure({ file: 'a.yaml', text: '[[[' })).message).toContain('cannot be used');
    expect((await failure({})).message).toContain('either an address or the text');
    expect((await failure({ address: 'ftp://x' })).message).toContain('https://');
    const circle = { openapi: '3.1.0', info: {}, paths: { '/a': { get: { $ref: '#/paths/~1a/get' } } } };
    expect((await read({ text: JSON.stringify(circle) })).operations).toEqual([]);

    const { hash } = await read({ address });
    // Another description is kept in its place.
    await read({ text: JSON.stringify(circle) });
    answer = TEXT.replace('Acme', 'Acme 2');
    const body = { address, hash, operations: [{ operation: 'GET /tasks' }] };
    expect(await refused(PREVIEW, { params: paramsOf('crm'), body })).toEqual({
      status: 409,
      message: expect.stringContaining('has changed since you read it'),
    });
  });
});

const wrongPath = `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Asks for a path that the API has not',
  version: '1.0.0',
  input: z.void(),
  output: z.unknown(),
  exec: async (nango) => (await nango.get('/categries')).data,
});
`;
