import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Fixture } from './fixture-file.ts';
import { MockRecording, type MockTools } from './mock-recording.ts';
import { actionMembers, syncMembers } from './nango-mocks.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-mocks-'));
});
afterEach(() => rm(folder, { recursive: true }));

const spy: MockTools['spy'] = (work) => vi.fn(work) as unknown as typeof work;
const PAGINATE = {
  type: 'cursor',
  cursor_path_in_response: 'next',
  cursor_name_in_request: 'after',
  response_path: 'items',
};

async function recordingOf(fixture: Fixture): Promise<MockRecording> {
  const dirname = join(folder, 'acme/tests');
  await mkdir(dirname, { recursive: true });
  await writeFile(join(dirname, 'items.test.json'), JSON.stringify(fixture));
  const paginateDefaults = (provider: string) => (provider === 'acme' ? PAGINATE : null);
  return new MockRecording({ dirname, name: 'items' }, { spy, paginateDefaults, testFile: () => undefined });
}

const action = async (fixture: Fixture) => actionMembers(await recordingOf(fixture), spy);
const sync = async (fixture: Fixture) => syncMembers(await recordingOf(fixture), spy);

describe('the mock of an action', () => {
  it('is named after the folder of its integration', async () => {
    expect((await action({})).providerConfigKey).toBe('acme');
  });

  it('hands on refused requests instead of throwing', async () => {
    const mock = await action({ api: { get: { '/v1/a': { response: { no: 1 }, status: 404, headers: { a: 'b' } } } } });

    expect(await mock.get({ endpoint: '/v1/a' })).toEqual({ data: { no: 1 }, status: 404, headers: { a: 'b' } });
    expect(mock.get).toHaveBeenCalledTimes(1);
  });

  it('sends each helper with its own method, and proxy with the caller’s', async () => {
    const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
    const api = Object.fromEntries(methods.map((method) => [method, { '/a': { response: method } }]));
    const mock = await action({ api });

    const responses = await Promise.all(methods.map((method) => mock[method]({ endpoint: '/a', method: 'GET' })));

    expect(responses.map(({ data }) => data)).toEqual(methods);
    expect((await mock.proxy({ endpoint: '/a', method: 'PATCH' })).data).toBe('patch');
    expect((await mock.proxy({ endpoint: '/a' })).data).toBe('get');
  });

  it('says which part of the recording is missing', async () => {
    const mock = await action({});

    await expect(mock.getConnection()).rejects.toThrow('Missing mock data for getConnection');
    await expect(mock.getMetadata()).rejects.toThrow('Missing mock data for getMetadata');
    await expect(mock.getOutput()).rejects.toThrow('Missing mock data for output');
    expect(await mock.updateMetadata()).toBeUndefined();
    expect(await mock.getInput()).toBeUndefined();
  });

  it('accepts null as an output', async () => {
    expect(await (await action({ output: null })).getOutput()).toBeNull();
  });

  it('does not check input', async () => {
    expect(await (await action({})).zodValidateInput({ input: { any: 1 } })).toEqual({ data: { any: 1 } });
  });

  it('pages with the defaults of the provider under the caller’s settings', async () => {
    const entries = [
      { response: { items: [1, 2], next: 'c' }, request: { params: { limit: '2' }, headers: {} } },
      { response: { items: [3] }, request: { params: { limit: '2', after: 'c' }, headers: {} } },
    ];
    const mock = await action({ api: { get: { '/v1/items': entries } } });

    const pages: unknown[] = [];
    const settings = { limit: 2, limit_name_in_request: 'limit' };
    for await (const page of mock.paginate({ endpoint: '/v1/items', paginate: settings })) pages.push(page);

    expect(pages).toEqual([[1, 2], [3]]);
  });

  it('pages in the body of a POST, whatever in_body says', async () => {
    const entries = [
      { response: { items: [1], next: 'c' }, request: { params: {}, headers: {}, data: { q: 1 } } },
      { response: { items: [2] }, request: { params: {}, headers: {}, data: { q: 1, after: 'c' } } },
    ];
    const mock = await action({ api: { post: { '/search': entries } } });

    const pages: unknown[] = [];
    const config = { endpoint: '/search', method: 'POST', data: { q: 1 }, paginate: { in_body: false } };
    for await (const page of mock.paginate(config)) pages.push(page);

    expect(pages).toEqual([[1], [2]]);
  });

  it('has no other members', async () => {
    const mock = (await sync({})) as Record<string, unknown>;

    const absent = ['batchUpdate', 'getRecordsByIds', 'setMetadata', 'getIntegration', 'getToken', 'triggerAction'];
    expect(absent.filter((name) => mock[name] !== undefined)).toEqual([]);
    expect((await action({})) as object).not.toHaveProperty('batchSave');
  });
});

describe('the mock of a sync', () => {
  it('checks batches and stores nothing', async () => {
    const mock = await sync({ nango: { batchSave: { Item: [{ id: '1' }] } } });

    expect(mock.batchSave([{ id: '1' }], 'Item')).toBeUndefined();
    expect(mock.batchSave).toHaveBeenCalledWith([{ id: '1' }], 'Item');
    expect(await mock.getBatchSaveData('Item')).toEqual([{ id: '1' }]);
    expect(mock.lastSyncDate).toBeNull();
    for await (const record of mock.listRecords()) expect.unreachable(String(record));
  });

  it('keeps a checkpoint in memory, starting with the recorded one if there is one', async () => {
    const mock = await sync({});
    expect(await mock.getCheckpoint()).toBeNull();
    await mock.saveCheckpoint({ page: 2 });
    expect(await mock.getCheckpoint()).toEqual({ page: 2 });
    await mock.clearCheckpoint();
    expect(await mock.getCheckpoint()).toBeNull();

    const started = await sync({ nango: { getCheckpoint: { page: 5 } } });
    expect(await started.getCheckpoint()).toEqual({ page: 5 });
  });
});
