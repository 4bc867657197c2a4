import { existsSync, readFileSync } from 'node:fs';
import { basename, join, dirname as parentOf } from 'node:path';
import type { ProxyConfiguration } from '../runtime/context/http-request.ts';
import type { HttpResponse } from '../runtime/context/http-response.ts';
import { firstPage, isSinglePage, paginate } from '../runtime/context/paginate.ts';
import { Cassette } from './cassette.ts';
import { type Fixture, type FixtureContext, singlePagesOf } from './fixture-file.ts';
import { readLegacyFixture } from './legacy-fixture.ts';
import { recordedData } from './recorded-response.ts';

export interface MockOptions {
  /** `__dirname` of the test file. */
  dirname: string;
  /** Name of the function. */
  name: string;
  /** Name of the model, needed only for fixtures in the old layout. */
  Model?: string;
}

/** Functions that the test runner provides. */
export interface MockTools {
  /** Wraps a function so that a test can inspect its calls. */
  spy<F extends (...args: never[]) => unknown>(work: F): F;
  testFile(): string | undefined;
  /** Pagination defaults of a provider; null when it has none. */
  paginateDefaults(provider: string): Record<string, unknown> | null;
}

export type MockResponse = Pick<HttpResponse, 'data' | 'headers' | 'status'>;

/** The recording of one mock. */
export class MockRecording {
  /** Name of the integration's folder, which is also used as the provider's name. */
  readonly providerConfigKey: string;
  readonly #options: MockOptions;
  readonly #tools: MockTools;
  #loaded: { fixture: Fixture; cassette: Cassette } | undefined;

  constructor(options: MockOptions, tools: MockTools) {
    this.providerConfigKey = basename(parentOf(options.dirname));
    this.#options = options;
    this.#tools = tools;
  }

  get fixture(): Fixture {
    return this.#load().fixture;
  }

  get context(): FixtureContext {
    return this.fixture.nango ?? {};
  }

  recorded(member: string): unknown {
    const value = this.context[member];
    if (value === undefined) throw new Error(`Missing mock data for ${member}`);
    return value;
  }

  /** Never throws for a refused request (functions.md 8.4). */
  respond({ method = 'GET', endpoint, params, headers, data }: ProxyConfiguration): MockResponse {
    const entry = this.#load().cassette.find({ method, endpoint, params, headers, data });
    return { data: recordedData(entry), headers: entry.headers ?? {}, status: entry.status ?? 200 };
  }

  pages(config: ProxyConfiguration): AsyncGenerator<unknown[]> {
    const defaults = this.#tools.paginateDefaults(this.providerConfigKey);
    const send = async (request: ProxyConfiguration): Promise<HttpResponse> => ({
      ...this.respond(request),
      statusText: '',
      config: {},
      request: {},
    });
    // Query or body: the mocks decide only by the method.
    const own = config.paginate ? { ...config, paginate: withoutBodyFlag(config.paginate) } : config;
    const pages = paginate(own, defaults && withoutBodyFlag(defaults), send);
    return isSinglePage(config, singlePagesOf(this.fixture.api)) ? firstPage(pages) : pages;
  }

  /** Loaded late, because the runner knows the running file only inside a test. */
  #load(): { fixture: Fixture; cassette: Cassette } {
    if (!this.#loaded) {
      const { dirname, name, Model: model } = this.#options;
      const fixture = lookUpFixture({ dirname, name, model, testFile: this.#tools.testFile() });
      this.#loaded = { fixture, cassette: new Cassette(fixture.api, fixture.legacyName) };
    }
    return this.#loaded;
  }
}

function withoutBodyFlag({ in_body: _inBody, ...settings }: Record<string, unknown>): Record<string, unknown> {
  return settings;
}

interface FixtureNames {
  /** Folder of the running test file. */
  dirname: string;
  /** Name of the function. */
  name: string;
  /** Path of the running test file, if the test runner provides it. */
  testFile?: string | undefined;
  model?: string | undefined;
}

/**
 * Finds the recording for a test (functions.md 8.4): next to the test file, else by the function's name, else in the
 * old layout.
 */
export function lookUpFixture({ dirname, name, testFile, model }: FixtureNames): Fixture {
  const ofTest = testFile ? basename(testFile).replace(/\.test\.[cm]?[jt]sx?$/, '') : undefined;
  const names = [...(ofTest === undefined ? [] : [ofTest]), name];
  const found = names.map((one) => join(dirname, `${one}.test.json`)).find((path) => existsSync(path));
  if (found) return JSON.parse(readFileSync(found, 'utf8')) as Fixture;
  return readLegacyFixture(join(dirname, '../mocks'), name, model);
}
