import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildAuthorizationUrl } from '../authorization/authorization.service.ts';
import type { EnvironmentService } from '../environments/environment.service.ts';
import type { Catalog, CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { CatalogProblem } from '../integrations/catalog/catalog-problem.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import {
  entryNames,
  findEntryText,
  importedCatalogPath,
  pickEntries,
  replaceEntryText,
} from '../integrations/catalog/entry-texts.ts';
import type { CatalogFile } from '../integrations/catalog/read-entries.ts';
import { readWorkspaceCatalog } from '../integrations/catalog/workspace-files.ts';
import { createDescriptionsService } from '../integrations/descriptions/descriptions.service.ts';
import type { ProposalOptions } from '../integrations/descriptions/propose-entry.ts';
import { describedApi, type GivenDescription } from '../integrations/descriptions/read-description.ts';
import { writtenHosts } from '../platform/lib/address-guard.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import { readStart } from '../platform/lib/outbound-exchange.ts';
import type { OutboundHttp } from '../platform/lib/outbound-http.ts';
import { createProxyService, ProxyRequestError, type ProxyService, type ProxyTarget } from '../proxy/proxy.service.ts';

export interface ProviderEntriesOptions extends TrialOptions {
  catalog: Catalog;
  workspace: string;
  /** Reads the workspace's files again. */
  reload: () => Promise<void>;
}

export interface EntryFindings {
  problems: CatalogProblem[];
  warnings: CatalogProblem[];
}

export interface CheckedEntryFile extends EntryFindings {
  /** The valid entries. */
  entries: Array<ProviderEntry & { isThere: boolean }>;
}

export interface WrittenEntry {
  /** Path below the workspace; null for a file that is not written yet. */
  file: string | null;
  text: string;
  isBuiltIn: boolean;
}

const MAIN_FILE = 'providers.yaml';
const KEY = /^[a-z0-9-]{1,255}$/;

export type ProviderEntriesService = ReturnType<typeof createProviderEntriesService>;

/** The user's entries of providers: stored in files of the workspace, and approved when they are saved. */
export function createProviderEntriesService({ catalog, workspace, reload, ...trialParts }: ProviderEntriesOptions) {
  let lastWrite: Promise<unknown> = Promise.resolve();
  const descriptions = createDescriptionsService(trialParts);

  /** Proposes an entry; stores nothing. Throws `invalid_body` and `url_param_err`. */
  async function propose(given: GivenDescription, wanted: Pick<ProposalOptions, 'provider' | 'auth'>) {
    return descriptions.propose(describedApi(given), wanted);
  }

  /** The problems and warnings of all files. */
  function findings(): EntryFindings {
    return { problems: catalog.problems(), warnings: catalog.warnings() };
  }

  /** Checks a file by the rules of the catalogue. An alias may name an entry of another file of the workspace. */
  async function check(file: CatalogFile): Promise<CheckedEntryFile> {
    const own = await readWorkspaceCatalog(workspace);
    const alone = await catalog.tryOut([file]);
    const isAlias = alone.problems().some(({ keyPath }) => keyPath === 'alias');
    const trial = isAlias ? await catalog.tryOut([...own.filter(({ path }) => path !== file.path), file]) : alone;
    const written = new Set(entryNames(file.text));
    const there = new Set(own.flatMap(({ text }) => entryNames(text)));
    const ofFile = (found: CatalogProblem): boolean => found.file === file.path;
    return {
      entries: trial
        .list()
        .filter(({ name, source }) => source !== 'builtin' && (!isAlias || written.has(name)))
        .map((entry) => ({ ...entry, isThere: there.has(entry.name) })),
      problems: trial.problems().filter(ofFile),
      warnings: trial.warnings().filter(ofFile),
    };
  }

  /** The text of an entry; a template for a provider without an entry in the workspace. */
  async function read(provider: string): Promise<WrittenEntry> {
    const entry = catalog.find(provider);
    const isBuiltIn = entry !== undefined && entry.source !== 'workspace';
    for (const { path, text } of (await readWorkspaceCatalog(workspace)).toReversed()) {
      const found = findEntryText(text, provider);
      if (found !== undefined) return { file: path, text: found, isBuiltIn };
    }
    return { file: null, text: isBuiltIn ? `${provider}:\n  extends: true\n` : '', isBuiltIn };
  }

  /** Writes one entry and replaces the existing one. Throws as `try`. */
  function save(provider: string, text: string): Promise<WrittenEntry> {
    return inTurn(async () => {
      if (!KEY.test(provider))
        throw new HomeportError('invalid_body', 'Name the provider with lower-case letters, digits and "-".');
      const files = await readWorkspaceCatalog(workspace);
      const file = withEntry(files, provider, text);
      const { hash } = await requireValid(file, provider, files);
      await write(file.path, file.text);
      await approve([[provider, hash]]);
      return read(provider);
    });
  }

  /**
   * Adds the valid entries of a file; those for built-in providers only with `replaces`. Throws `invalid_body` when no
   * entry can be added.
   */
  function importFile(file: CatalogFile, replaces: boolean): Promise<{ file: string; added: string[] }> {
    return inTurn(async () => {
      const trial = await catalog.tryOut([file]);
      const added = trial
        .list()
        .filter(({ source }) => source === 'workspace' || (replaces && source === 'override'))
        .map(({ name }) => name);
      if (added.length === 0) throw new HomeportError('invalid_body', `${file.path} has no entry to add.`);
      const path = importedCatalogPath(file.path);
      await write(path, await pickEntries(file.text, new Set(added)));
      await approve(added.map((name) => [name, trial.hashOf(name)]));
      return { file: path, added };
    });
  }

  /** Removes an entry from every file that contains it. Throws `not_found` when no file does. */
  function remove(provider: string): Promise<void> {
    return inTurn(async () => {
      const files = await readWorkspaceCatalog(workspace);
      const containing = files.filter(({ text }) => findEntryText(text, provider) !== undefined);
      if (containing.length === 0)
        throw new HomeportError('not_found', `The workspace has no entry of the provider "${provider}".`);
      for (const { path, text } of containing) {
        const after = replaceEntryText(text, provider, null);
        if (after === undefined) throw unreadable(path);
        await write(path, after);
      }
      await reload();
      const removal = catalog.pending().find((one) => one.provider === provider && one.kind === 'removal');
      if (removal) await catalog.approve(provider, removal.hash);
    });
  }

  /**
   * Sends one request by the rules of an unsaved entry. Throws `invalid_body` with the first problem of the entry, and
   * `conflict` for a file whose entries cannot be separated.
   */
  async function tryOut(trial: TriedText, signal?: AbortSignal): Promise<TrialResult> {
    const { provider, text } = trial;
    const files = await readWorkspaceCatalog(workspace);
    const checked = await requireValid(withEntry(files, provider, text), provider, files);
    return tryEntry(trialParts, { catalog: checked.catalog, entry: checked.entry, trial, signal });
  }

  async function requireValid(file: CatalogFile, provider: string, files: CatalogFile[]) {
    const trial = await catalog.tryOut([...files.filter(({ path }) => path !== file.path), file]);
    const faults = trial.problems().filter((one) => one.provider === provider || one.provider === '');
    const entry = trial.find(provider);
    if (faults.length > 0 || !entry || entry.source === 'builtin') {
      const [fault] = faults;
      const where = fault ? [provider, fault.keyPath].filter(Boolean).join('.') : provider;
      throw new HomeportError('invalid_body', `${where}: ${fault?.reason ?? 'the text has no such entry'}.`);
    }
    return { catalog: trial, entry, hash: trial.hashOf(provider) };
  }

  async function write(path: string, text: string): Promise<void> {
    const target = join(workspace, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }

  /** Approves only what was checked: an entry that was changed meanwhile has another hash and waits. */
  async function approve(entries: Array<[name: string, hash: string | undefined]>): Promise<void> {
    await reload();
    for (const [name, hash] of entries) if (hash !== undefined) await catalog.approve(name, hash);
  }

  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = lastWrite.then(task);
    lastWrite = turn.catch(() => {
      // The caller handles the rejection.
    });
    return turn;
  }

  return { findings, check, propose, read, save, importFile, remove, try: tryOut };
}

/** The file that contains the entry, or else the main file, with this text of the entry. */
function withEntry(files: readonly CatalogFile[], provider: string, text: string): CatalogFile {
  const file =
    files.findLast((one) => findEntryText(one.text, provider) !== undefined) ??
    files.find(({ path }) => path === MAIN_FILE);
  const path = file?.path ?? MAIN_FILE;
  const after = replaceEntryText(file?.text ?? '', provider, text);
  if (after === undefined) throw unreadable(path);
  return { path, text: after };
}

function unreadable(path: string): HomeportError {
  return new HomeportError(
    'conflict',
    `${path} is formatted so that its entries cannot be separated. Write each provider's key at the left margin.`,
  );
}

export interface TrialOptions {
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
  ids: Ids;
  environments: EnvironmentService;
  publicBase: () => string;
}

export interface TriedText {
  text: string;
  provider: string;
  connectionConfig: Record<string, string>;
  credentials: Record<string, string>;
  clientId: string;
  /** Comma-separated. */
  scopes: string;
  /** Undefined: the request goes to the authorization address. */
  request?: { method: string; endpoint: string } | undefined;
}

export interface TrialResult {
  method: string;
  url: string;
  status: number | null;
  contentType: string | null;
  body: string;
  durationMs: number;
  error: string | null;
}

interface Trial {
  catalog: CatalogLookup;
  entry: ProviderEntry;
  trial: TriedText;
  signal: AbortSignal | undefined;
}

const SHOWN_BYTES = 65_536;
const MAX_DURATION_MS = 20_000;

type TrialResponse = Pick<TrialResult, 'method' | 'url' | 'status' | 'contentType' | 'body' | 'error'>;

/**
 * Sends one request by the rules of the entry, with values that a person entered. A refusal by the provider is a
 * result.
 */
async function tryEntry(options: TrialOptions, trial: Trial): Promise<TrialResult> {
  const startedAt = options.clock.now();
  const response = trial.trial.request ? await tryRequest(options, trial) : await tryAuthorization(options, trial);
  return { ...response, durationMs: options.clock.now() - startedAt };
}

/** Requests the authorization address. The provider answers with its page, or with an error about the sample client. */
async function tryAuthorization(options: TrialOptions, { entry, trial, signal }: Trial): Promise<TrialResponse> {
  const { ids, http, publicBase } = options;
  const given = Object.entries(entry.authorization_params ?? {});
  const url = buildAuthorizationUrl({
    entry,
    clientId: trial.clientId || 'sample-client',
    redirectUri: `${publicBase()}/oauth/callback`,
    state: ids.uuid(),
    scopes: trial.scopes || (entry.default_scopes ?? []).join(','),
    connectionConfig: trial.connectionConfig,
    entryParams: Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    params: {},
    isFromPage: false,
  });
  const sent = { method: 'GET', url };
  try {
    const response = await http.request({
      ...sent,
      // The address is in the person's own file (design.md 7.4).
      allowedHosts: writtenHosts(new URL(url)),
      maxRedirects: 0,
      headers: { accept: 'text/html' },
      signal: limited(signal),
    });
    return { ...sent, ...(await readResponse(response)) };
  } catch (error) {
    return { ...sent, ...failureOf(error) };
  }
}

async function tryRequest(options: TrialOptions, { catalog, entry, trial, signal }: Trial): Promise<TrialResponse> {
  const { method, endpoint } = trial.request ?? { method: 'GET', endpoint: '/' };
  const proxy = createProxyService({
    ...options,
    catalog,
    resolveTarget: () => Promise.reject(new HomeportError('not_found', 'A trial has no connection.')),
  });
  const target: ProxyTarget = {
    environmentId: options.environments.workspaceEnvironment.id,
    providerName: entry.name,
    integration: { uniqueKey: entry.name, clientId: trial.clientId },
    connection: {
      id: 0,
      connectionId: 'trial',
      credentials: { type: entry.auth_mode, ...trial.credentials },
      connectionConfig: trial.connectionConfig,
      metadata: {},
    },
  };
  // A request that cannot be built has no address yet.
  let url = endpoint;
  const onBuilt = (built: { url: string }): void => {
    url = built.url;
  };
  try {
    const response = await proxy.callOnce(target, { method, endpoint }, { signal: limited(signal), onBuilt });
    return { method, url, ...(await readResponse(response)) };
  } catch (error) {
    return { method, url, ...failureOf(error) };
  }
}

async function readResponse(response: Awaited<ReturnType<OutboundHttp['request']>> | ReadableResponse) {
  const { start, isCut } = await readStart(response.body, SHOWN_BYTES);
  if (isCut) response.body.destroy();
  const type = response.headers['content-type'];
  return {
    status: response.status,
    contentType: type === undefined ? null : String(type),
    body: start.toString('utf8'),
    error: null,
  };
}

type ReadableResponse = Awaited<ReturnType<ProxyService['callOnce']>>;

/** The result of a network failure or of a request that cannot be built. Throws any other error. */
function failureOf(error: unknown): Pick<TrialResponse, 'status' | 'contentType' | 'body' | 'error'> {
  const isExpected =
    error instanceof ProxyRequestError || error instanceof OutboundError || error instanceof HomeportError;
  if (!isExpected) throw error;
  return { status: null, contentType: null, body: '', error: error.message };
}

function limited(signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(MAX_DURATION_MS);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}
