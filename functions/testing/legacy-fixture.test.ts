import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cassette } from './cassette.ts';
import { lookUpFixture } from './mock-recording.ts';
import { identifyRequest } from './request-identity.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-fixtures-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(files: Record<string, unknown>): Promise<void> {
  for (const [path, value] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), JSON.stringify(value));
  }
}

const lookUp = (testFile?: string) => lookUpFixture({ dirname: join(folder, 'tests'), name: 'items', testFile });

describe('the fixture of a test', () => {
  it('is named after the test file, else after the function', async () => {
    await write({
      'tests/items.test.json': { output: 'by name' },
      'tests/acme-items.test.json': { output: 'by file' },
    });

    expect(lookUp('/x/tests/acme-items.test.ts').output).toBe('by file');
    expect(lookUp('/x/tests/other.test.ts').output).toBe('by name');
    expect(lookUp().output).toBe('by name');
  });

  it('is read out of the old folders when there is no file', async () => {
    const identity = { params: [['page', '2']], headers: [], requestIdentityHash: 'h' };
    await write({
      'mocks/items/input.json': { a: 1 },
      'mocks/items/output.json': { b: 2 },
      'mocks/items/Item/batchSave.json': [{ id: '1' }],
      'mocks/items/Item/batchDelete.json': [{ id: '2' }],
      'mocks/nango/getConnection.json': { provider: 'acme' },
      'mocks/nango/getMetadata.json': { m: 1 },
      'mocks/nango/get/proxy/v1/one/items.json': { alone: true },
      'mocks/nango/get/proxy/v1/many/items/h.json': { requestIdentity: identity, response: 'second', status: 201 },
    });

    const { api, ...fixture } = lookUp();

    expect(fixture).toEqual({
      legacyName: 'items',
      input: { a: 1 },
      output: { b: 2 },
      nango: {
        getConnection: { provider: 'acme' },
        getMetadata: { m: 1 },
        batchSave: { Item: [{ id: '1' }] },
        batchDelete: { Item: [{ id: '2' }] },
      },
    });
    const cassette = new Cassette(api, fixture.legacyName);
    expect(cassette.find({ method: 'GET', endpoint: '/v1/one' }).response).toEqual({ alone: true });
    expect(cassette.find({ method: 'GET', endpoint: '/v1/many', params: { page: 2 } })).toMatchObject({
      response: 'second',
      status: 201,
    });
    expect(() => cassette.find({ method: 'POST', endpoint: '/v1/none' })).toThrow(
      'No mock found for POST v1/none: nothing was recorded for this path. Its place is mocks/nango/post/proxy/v1/none/items.json.',
    );
  });

  it('answers every request of a path in the old folders that has one file', async () => {
    const full = { requestIdentity: { params: [['a', '1']], headers: [] }, response: 'inside', status: 201 };
    await write({
      'mocks/nango/get/proxy/v1/one/items.json': { next: 'c2', items: [1] },
      'mocks/nango/post/proxy/graphql/items.json': full,
    });
    const cassette = new Cassette(lookUp().api);

    for (const params of [undefined, { page: 2 }, 'cursor=c2'])
      expect(cassette.find({ method: 'GET', endpoint: 'v1/one', params }).response).toEqual({ next: 'c2', items: [1] });
    // The file is the whole response, whatever it contains.
    expect(cassette.find({ method: 'POST', endpoint: '/graphql', data: { query: 'any' } }).response).toEqual(full);
  });

  it('is found by the name of a file, and a folder of requests comes before a single file', async () => {
    const request = { method: 'GET', endpoint: '/v1/both', params: { page: '1' } };
    const { hash } = identifyRequest(request);
    await write({
      'mocks/nango/get/proxy/v1/both/items.json': 'alone',
      [`mocks/nango/get/proxy/v1/both/items/${hash}.json`]: 'by name',
    });
    const cassette = new Cassette(lookUp().api);

    expect(cassette.find(request).response).toBe('by name');
    expect(() => cassette.find({ ...request, params: { page: '2' } })).toThrow('1 recorded for this path');
  });
});
