import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Fixture, FixtureApi, FixtureContext, FixtureEntry } from './fixture-file.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface LegacyResponse {
  requestIdentity?: {
    params?: [string, string][];
    headers?: [string, string][];
    data?: unknown;
    requestIdentityHash?: string;
  };
  hash?: string;
  response: unknown;
  status?: number;
  headers?: FixtureEntry['headers'];
}

/** Where a response would be in the old layout, relative to the folder of the integration. */
export function legacyPath({ method, endpoint }: { method: string; endpoint: string }, name: string): string {
  return `mocks/nango/${method}/proxy/${endpoint}/${name}.json`;
}

/** Reads recordings in the old layout, which was a folder with many files (functions.md 8.4). */
export function readLegacyFixture(mocks: string, name: string, model?: string): Fixture {
  const input = readJson(join(mocks, name, 'input.json'));
  const output = readJson(join(mocks, name, 'output.json'));
  return {
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    legacyName: name,
    nango: readContext(mocks, name, model),
    api: Object.fromEntries(METHODS.map((method) => [method, readApi(mocks, name, method)])),
  };
}

function readContext(mocks: string, name: string, model?: string): FixtureContext {
  const connection = readJson(join(mocks, 'nango/getConnection.json')) as Record<string, unknown> | undefined;
  const metadata = readJson(join(mocks, 'nango/getMetadata.json'));
  const models = model === undefined ? foldersIn(join(mocks, name)) : model.split(',');
  return {
    ...(connection === undefined ? {} : { getConnection: connection }),
    ...(metadata === undefined ? {} : { getMetadata: metadata }),
    batchSave: readBatches(join(mocks, name), models, 'batchSave'),
    batchDelete: readBatches(join(mocks, name), models, 'batchDelete'),
  };
}

function readBatches(folder: string, models: string[], kind: string): Record<string, unknown[]> {
  const batches = models.flatMap((model) => {
    const records = readJson(join(folder, model, `${kind}.json`));
    return records === undefined ? [] : [[model, records as unknown[]] as const];
  });
  return Object.fromEntries(batches);
}

/** `mocks/nango/<method>/proxy/<endpoint>/<name>.json`, or a folder of that name with one file per request. */
function readApi(mocks: string, name: string, method: string): FixtureApi[string] {
  const root = join(mocks, 'nango', method, 'proxy');
  const paths: FixtureApi[string] = {};
  for (const folder of foldersBelow(root, '')) {
    const several = filesIn(join(root, folder, name)).map((file) =>
      toEntry(readJson(join(root, folder, name, file)), basename(file, '.json')),
    );
    const alone = readJson(join(root, folder, `${name}.json`));
    if (several.length > 0) paths[`/${folder}`] = several;
    else if (alone !== undefined) paths[`/${folder}`] = { response: alone, isForAll: true };
  }
  return paths;
}

/** The file is named after the hash of the request. */
function toEntry(value: unknown, fileHash: string): FixtureEntry {
  const response = value as LegacyResponse;
  if (response?.requestIdentity === undefined) return { response: value, hash: fileHash };
  const { params, headers, data, requestIdentityHash } = response.requestIdentity;
  const hash = response.hash ?? requestIdentityHash ?? fileHash;
  return {
    response: response.response,
    ...(response.status === undefined ? {} : { status: response.status }),
    ...(response.headers === undefined ? {} : { headers: response.headers }),
    hash,
    request: {
      params: Object.fromEntries(params ?? []),
      headers: Object.fromEntries(headers ?? []),
      ...(data === undefined ? {} : { data }),
    },
  };
}

function foldersBelow(root: string, folder: string): string[] {
  return foldersIn(join(root, folder)).flatMap((name) => {
    const path = folder === '' ? name : `${folder}/${name}`;
    return [path, ...foldersBelow(root, path)];
  });
}

function foldersIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory()) : [];
}

function filesIn(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .sort()
    : [];
}

function readJson(path: string): unknown {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as unknown) : undefined;
}
