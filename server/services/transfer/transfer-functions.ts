import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { findEntryText } from '../../catalog/entry-texts.ts';
import { isCatalogPath } from '../../catalog/workspace-files.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { ExportFile } from '../../transfer/export-file.ts';
import { pathBelow } from '../../transfer/exported-functions.ts';
import { type HubCalls, whyRefused } from '../../transfer/hub-calls.ts';
import { exportedProviders } from '../../transfer/import-effects.ts';
import type { ConflictRule, TransferRow } from '../../transfer/write-hub.ts';
import type { ProviderEntriesService } from '../provider-entries/provider-entries-service.ts';

/** Files of functions and their helpers by path; provider entries are transferred separately. */
export function sourceFiles(file: Pick<ExportFile, 'functions'>): Record<string, string> {
  return Object.fromEntries(Object.entries(file.functions).filter(([path]) => !isCatalogPath(path)));
}

/**
 * Entries of the other hub's workspace that its integrations use, as a file; empty for servers without such
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
  /** True when the functions folder belongs to the environment. */
  isOwner: boolean;
}

/** Writes the files of functions into the workspace; saving deploys them. */
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
    const goal = key === undefined ? path : [key, ...rest].join('/');
    const target = pathBelow(workspace, goal);
    if (!isOwner) {
      const detail = 'the functions folder belongs to another environment; deploy it from there';
      rows.push({ ...row, outcome: 'skipped', detail });
      continue;
    }
    const before = await readOptional(target);
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
      const isMoved = goal !== path;
      rows.push({
        ...row,
        outcome: isMoved ? 'renamed' : before === undefined ? 'created' : 'replaced',
        ...(isMoved ? { detail: goal } : {}),
      });
    }
  }
  return rows;
}

const LOOK_EVERY_MS = 300;
/** Limit for compiling and deploying one function. */
const LONGEST_MS = 60_000;
const FUNCTION_PATH = /^([^/]+)\/(syncs|actions)\/([^/]+)\.ts$/;

/** Deploys functions to another server over its API, one by one (http-api.md 14). Their helper files are not sent. */
export async function sendFunctions(
  hub: HubCalls,
  file: ExportFile,
  renamed: ReadonlyMap<string, string>,
): Promise<TransferRow[]> {
  const rows: TransferRow[] = [];
  for (const [path, code] of Object.entries(sourceFiles(file))) {
    const [, folder = '', kind, name] = FUNCTION_PATH.exec(path) ?? [];
    if (name === undefined) {
      if (path.endsWith('.ts'))
        rows.push({
          kind: 'function',
          name: path,
          outcome: 'skipped',
          detail: 'only actions and syncs are sent; deploy the rest with homeport deploy',
        });
      continue;
    }
    const body = {
      type: 'function',
      integration_id: renamed.get(folder) ?? folder,
      function_name: name,
      function_type: kind === 'syncs' ? 'sync' : 'action',
      code,
    };
    const detail = await untilDeployed(hub, body);
    rows.push({
      kind: 'function',
      name: path,
      ...(detail === undefined ? { outcome: 'created' } : { outcome: 'failed', detail }),
    });
  }
  return rows;
}

/** Undefined when the function is live; otherwise why it is not. */
async function untilDeployed(hub: HubCalls, body: unknown): Promise<string | undefined> {
  const limit = AbortSignal.timeout(LONGEST_MS);
  const response = await hub.send('POST', '/functions/deployments', { body });
  const refusal = whyRefused(response);
  if (refusal !== undefined) return refusal;
  for (let state = response.body as DeploymentState; ; ) {
    if (state.status === 'success') return undefined;
    if (state.status === 'failed') return state.error?.message ?? 'the server could not deploy it';
    if (limit.aborted) return 'the server has not finished deploying it';
    await delay(LOOK_EVERY_MS);
    const next = await hub.send('GET', `/functions/deployments/${encodeURIComponent(state.id)}`);
    const problem = whyRefused(next);
    if (problem !== undefined) return problem;
    state = next.body as DeploymentState;
  }
}

interface DeploymentState {
  id: string;
  status: 'waiting' | 'running' | 'success' | 'failed';
  error?: { message?: string };
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
