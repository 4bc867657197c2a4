/** A recorded run of one function: `<name>.test.json` (functions.md 8.3). */
export interface Fixture {
  /** Input of an action. */
  input?: unknown;
  /** Output of the action. */
  output?: unknown;
  nango?: FixtureContext;
  /** Of a recording in older folders: the name of its files. */
  legacyName?: string;
  /** Method in lower case → path → answers. */
  api?: FixtureApi;
  [further: string]: unknown;
}

export type FixtureApi = Record<string, Record<string, FixtureEntry | FixtureEntry[]>>;

/** Responses of the context, and values that the function saved. */
export interface FixtureContext {
  getConnection?: Record<string, unknown>;
  getMetadata?: unknown;
  updateMetadata?: unknown;
  /** Checkpoint from which the run started. */
  getCheckpoint?: Record<string, unknown> | null;
  batchSave?: Record<string, unknown[]>;
  batchDelete?: Record<string, unknown[]>;
  [further: string]: unknown;
}

/** One recorded response. */
export interface FixtureEntry {
  response: unknown;
  /** Default: 200. */
  status?: number;
  headers?: Record<string, string | string[]>;
  hash?: string;
  /** Written by a person: the request only reads, although its method does not say so, such as a search by POST. */
  readsOnly?: boolean;
  /** The only response of its path, for any request; a pagination ends after it (functions.md 8.4, older folders). */
  isForAll?: boolean;
  request?: { params?: Record<string, unknown>; headers?: Record<string, unknown>; data?: unknown };
}

/** Paths whose only response is for all requests, as `get /v1/items`. */
export function singlePagesOf(api: FixtureApi = {}): string[] {
  return Object.entries(api).flatMap(([method, paths]) =>
    Object.entries(paths).flatMap(([path, entries]) =>
      [entries].flat().some(({ isForAll }) => isForAll) ? [`${method} ${path}`] : [],
    ),
  );
}

/** Possible files for the fixture of a function, the preferred one first, relative to the integration's folder. */
export function fixtureFileNames(integration: string, name: string): string[] {
  return [`tests/${name}.test.json`, `tests/${integration}-${name}.test.json`];
}
