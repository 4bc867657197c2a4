import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { isSourceFileName, locateFunction } from '../../functions/compiler/function-path.ts';
import type { ProviderEntriesService } from '../dashboard/provider-entries.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import { findEntryText } from '../integrations/catalog/entry-texts.ts';
import { isCatalogPath } from '../integrations/catalog/workspace-files.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { readIfExists } from '../platform/lib/read-if-exists.ts';
import { deployPayload, type SentBundle } from './transfer/deploy-payload.ts';
import type { ExportFile } from './transfer/export-file.ts';
import { pathBelow } from './transfer/exported-functions.ts';
import { type HubCalls, whyRefused } from './transfer/hub-calls.ts';
import { exportedProviders } from './transfer/import-effects.ts';
import type { ConflictRule, TransferRow } from './transfer/write-hub.ts';

/** Files of functions and their helpers by path; provider entries are transferred separately. */
export function sourceFiles(file: Pick<ExportFile, 'functions'>): Record<string, string> {
  return Object.fromEntries(Object.entries(file.functions).filter(([path]) => !isCatalogPath(path)));
}

/**
 * Provider entries of the other hub's workspace that its integrations use, as one file by its path; empty without such
 * entries.
 */
export async function readOwnProviders(
  hub: HubCalls,
  integrations: ExportFile['integrations'],
): Promise<Record<string, string>> {
  const entries: Record<string, unknown> = {};
  for (const name of new Set(integrations.map(({ provider }) => provider))) {
    const { status, body } = await hub.send('GET', `/providers/${encodeURIComponent(name)}`);
    const { data } = (status === 200 ? body : {}) as { data?: Record<string, unknown> };
    if (data?.['source'] !== 'workspace') continue;
    const { name: _name, source: _source, logo_url: _logo, ...entry } = data;
    entries[name] = entry;
  }
  return Object.keys(entries).length === 0
    ? {}
    : { 'providers.yaml': stringify(entries, { aliasDuplicateObjects: false }) };
}

/** Adds the provider entries of an export to the workspace; a person has seen them in the preview. */
export async function writeProviders(
  entries: ProviderEntriesService,
  file: ExportFile,
  conflict: ConflictRule,
): Promise<TransferRow[]> {
  const texts = Object.entries(file.functions).flatMap(([path, text]) => (isCatalogPath(path) ? [text] : []));
  const rows: TransferRow[] = [];
  for (const [name, entry] of exportedProviders(file)) {
    const row = { kind: 'provider', name } as const;
    const exists = (await entries.read(name)).file !== null;
    if (exists && conflict !== 'replace') {
      rows.push({
        ...row,
        outcome: 'skipped',
        detail: 'the workspace already has an entry with this name, which is kept',
      });
      continue;
    }
    const written = texts.map((text) => findEntryText(text, name)).find((text) => text !== undefined);
    try {
      await entries.save(name, written ?? stringify({ [name]: entry }));
      rows.push({ ...row, outcome: exists ? 'replaced' : 'created' });
    } catch (error) {
      if (!(error instanceof HomeportError)) throw error;
      rows.push({ ...row, outcome: 'failed', detail: error.message });
    }
  }
  return rows;
}

interface FunctionFiles {
  workspace: string;
  file: ExportFile;
  conflict: ConflictRule;
  /** Integrations with a new key: their folders are renamed as well. */
  renamed: ReadonlyMap<string, string>;
  /** True when the functions folder belongs to the environment. Otherwise nothing is written. */
  isOwner: boolean;
}

/** Writes the files of functions into the workspace, whose watcher deploys them. */
export async function writeFunctions({
  workspace,
  file,
  conflict,
  renamed,
  isOwner,
}: FunctionFiles): Promise<TransferRow[]> {
  const rows: TransferRow[] = [];
  for (const [path, text] of Object.entries(sourceFiles(file))) {
    const row = { kind: 'function', name: path } as const;
    const [folder = '', ...rest] = path.split('/');
    const key = renamed.get(folder);
    const newPath = key === undefined ? path : [key, ...rest].join('/');
    const target = pathBelow(workspace, newPath);
    if (!isOwner) {
      const detail = 'the functions folder belongs to another environment; deploy it from there';
      rows.push({ ...row, outcome: 'skipped', detail });
      continue;
    }
    const before = await readIfExists(target);
    if (before === text) rows.push({ ...row, outcome: 'skipped', detail: 'already exists' });
    else if (before !== undefined && conflict !== 'replace')
      rows.push({
        ...row,
        outcome: 'skipped',
        detail: 'the folder already has another file with this name, which is kept',
      });
    else {
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
      const isMoved = newPath !== path;
      rows.push({
        ...row,
        outcome: isMoved ? 'renamed' : before === undefined ? 'created' : 'replaced',
        ...(isMoved ? { detail: newPath } : {}),
      });
    }
  }
  return rows;
}

export interface FunctionsToSend {
  hub: HubCalls;
  conflict: ConflictRule;
  /** Paths of the files to send. */
  paths: readonly string[];
  /** Integrations with a new key on the other server. */
  renamed: ReadonlyMap<string, string>;
  deployments: Pick<DeploymentsService, 'find' | 'findActive' | 'readSource'>;
  environmentId: number;
  programVersion: string;
}

/**
 * Deploys the live versions of functions to another server (http-api.md 15), one by one, so that a refused one does not
 * stop the others. A bundle holds the files that the function imports.
 */
export async function sendFunctions(use: FunctionsToSend): Promise<TransferRow[]> {
  const files = use.paths.filter(isSourceFileName);
  if (files.length === 0) return [];
  const existing = await readDeployed(use.hub);
  const rows: TransferRow[] = [];
  for (const path of files) rows.push({ kind: 'function', name: path, ...(await sendFunction(path, existing, use)) });
  return rows;
}

async function sendFunction(
  path: string,
  existing: ReadonlySet<string>,
  { hub, conflict, renamed, deployments, environmentId, programVersion }: FunctionsToSend,
): Promise<Pick<TransferRow, 'outcome' | 'detail'>> {
  const found = await findLive(path, { deployments, environmentId });
  if (found === 'helper') return { outcome: 'skipped', detail: 'sent inside the functions that import it' };
  if (found === 'broken') return { outcome: 'failed', detail: 'it has never compiled, so there is nothing to send' };
  const sent = { ...found.sent, integration: renamed.get(found.sent.integration) ?? found.sent.integration };
  const exists = existing.has(deployedId(sent.integration, sent.definition.type, sent.name));
  if (exists && conflict !== 'replace')
    return { outcome: 'skipped', detail: 'the other server already has a function with this name, which is kept' };
  const payload = deployPayload({ functions: [sent], mode: 'single', programVersion });
  const body = { ...payload, source: 'standalone', nangoYamlBody: '' };
  const refusal = whyRefused(await hub.send('POST', '/sync/deploy', { body }));
  if (refusal !== undefined) return { outcome: 'failed', detail: refusal };
  return {
    outcome: exists ? 'replaced' : 'created',
    ...(found.isBehindFile ? { detail: 'the file does not compile, so the last version that did was sent' } : {}),
  };
}

const deployedId = (integration: string, type: string, name: string): string => `${integration}/${type}/${name}`;

/** The functions of the other server (http-api.md 13). Event handlers are not listed by every server. */
async function readDeployed(hub: HubCalls): Promise<ReadonlySet<string>> {
  type Listed = Array<{ name: string }>;
  const integrations = await hub.call<
    Array<{ providerConfigKey: string; syncs?: Listed; actions?: Listed; 'on-events'?: Listed }>
  >('GET', '/scripts/config');
  return new Set(
    integrations.flatMap(({ providerConfigKey: key, syncs = [], actions = [], 'on-events': handlers = [] }) => [
      ...syncs.map(({ name }) => deployedId(key, 'sync', name)),
      ...actions.map(({ name }) => deployedId(key, 'action', name)),
      ...handlers.map(({ name }) => deployedId(key, 'on-event', name)),
    ]),
  );
}

async function findLive(
  path: string,
  { deployments, environmentId }: Pick<FunctionsToSend, 'deployments' | 'environmentId'>,
): Promise<{ sent: SentBundle; isBehindFile: boolean } | 'helper' | 'broken'> {
  const located = locateFunction(path);
  if (!located.ok) return 'helper';
  const { integration, kind, name } = located.location;
  const known = await deployments.find(environmentId, integration, kind, name);
  if (!known) return 'helper';
  const live = await deployments.findActive(environmentId, integration, kind, name);
  if (!live) return 'broken';
  const { bundle, definition } = live;
  const source = (await deployments.readSource(live)) ?? '';
  return { sent: { integration, name, definition, bundle, source }, isBehindFile: known.hasCompileErrors };
}
