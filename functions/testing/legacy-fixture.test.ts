import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cassette } from './cassette.ts';
import { lookUpFixture } from './fixture-lookup.ts';

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
      input: { a: 1 },
      output: { b: 2 },
      nango: {
        getConnection: { provider: 'acme' },
        getMetadata: { m: 1 },
        batchSave: { Item: [{ id: '1' }] },
        batchDelete: { Item: [{ id: '2' }] },
      },
    });
    const cassette = new Cassette(api);
    expect(cassette.find({ method: 'GET', endpoint: '/v1/one' }).response).toEqual({ alone: true });
    expect(cassette.find({ method: 'GET', endpoint: '/v1/many', params: { page: 2 } })).toMatchObject({
      response: 'second',
      status: 201,
    });
  });
});
