import type { ProviderEntriesService } from '../dashboard/provider-entries.service.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import { isCatalogPath } from '../integrations/catalog/workspace-files.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { OutboundHttp } from '../platform/lib/outbound-http.ts';
import { readIfExists } from '../platform/lib/read-if-exists.ts';
import { callOwnHub, callServer, checkServer } from './server-calls.ts';
import { openArchive, packArchive } from './transfer/export-archive.ts';
import { type ExportedSecrets, type ExportFile, exportedSecrets, exportFile } from './transfer/export-file.ts';
import { pathBelow, readFunctionFiles } from './transfer/exported-functions.ts';
import { type HubCalls, TransferFailure } from './transfer/hub-calls.ts';
import { describeEffects, exportedProviders } from './transfer/import-effects.ts';
import { chosenKeys, type HubSelection, readHub } from './transfer/read-hub.ts';
import { openSecrets, sealSecrets } from './transfer/sealed-secrets.ts';
import { restoreSecrets } from './transfer/withheld-secrets.ts';
import {
  type ConflictRule,
  exportedDestinationName,
  readHubIndex,
  type TransferPart,
  type TransferRow,
  writeHub,
} from './transfer/write-hub.ts';
import { readOwnProviders, sendFunctions, sourceFiles, writeFunctions, writeProviders } from './transfer-functions.ts';

export interface ServerRef {
  url: string;
  secretKey: string;
}

/** The source of an import. */
export type TransferSource =
  | { kind: 'file'; file: unknown; passphrase?: string | undefined }
  /** A ZIP file, as base64. */
  | { kind: 'archive'; archive: string; passphrase?: string | undefined }
  | ({ kind: 'server' } & ServerRef);

export interface TransferChoice {
  conflict: ConflictRule;
  parts: readonly TransferPart[];
  /** Keys of integrations, which include their connections and functions. Default: all. */
  integrations?: readonly string[] | undefined;
}

interface PreviewRow {
  kind: TransferRow['kind'];
  name: string;
  /** True when the target already has one with this name. */
  exists: boolean;
  /** Key of its integration; null for settings and providers. */
  integration: string | null;
}

export interface TransferPreview {
  /** The environment or the address from which it was read. */
  origin: string;
  exportedAt: string | null;
  rows: PreviewRow[];
  /** One sentence for each thing that would be sent to other hosts, or would run. */
  effects: string[];
  /** Secrets that are not in the file, or that are sealed and could not be opened. */
  leftOut: string[];
  needsPassphrase: boolean;
  hasSecrets: boolean;
}

interface Opened {
  file: ExportFile;
  secrets: ExportedSecrets | undefined;
  needsPassphrase: boolean;
}

function presentProviders(file: ExportFile, existing: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...exportedProviders(file).keys()].filter((key) => existing.has(`provider ${key}`)));
}

export type TransferService = ReturnType<typeof createTransferService>;

/** Exports environments and imports them. */
export function createTransferService(use: {
  environments: EnvironmentService;
  providerEntries: ProviderEntriesService;
  deployments: DeploymentsService;
  /** Version of this program. */
  version: string;
  workspace: string;
  /** Base address of this hub's own API. */
  apiUrl: () => string;
  http: Pick<OutboundHttp, 'request'>;
  /** For calls of this hub to itself, which `http` refuses. */
  fetch: typeof globalThis.fetch;
  clock: Clock;
}) {
  const { environments, providerEntries, deployments, version, workspace, apiUrl, http, fetch, clock } = use;
  /** The environment, or the selected part of it, as one file. With a passphrase it includes the secrets, sealed. */
  async function exportEnvironment(
    environment: Environment,
    passphrase: string | undefined,
    parts: readonly TransferPart[],
    only?: HubSelection,
  ): Promise<ExportFile> {
    const { file, secrets } = await readOwn(environment, only);
    const kept = narrow(file, { parts });
    if (passphrase === undefined) return kept;
    // Lists are complete or missing, so paths into them stay correct.
    const withheld = secrets.withheld.filter(({ path: [part] }) => part === undefined || parts.includes(partOf(part)));
    const chosen: ExportedSecrets = {
      variables: parts.includes('settings') ? secrets.variables : [],
      integrations: parts.includes('integrations') ? secrets.integrations : {},
      connections: parts.includes('connections') ? secrets.connections : {},
      withheld,
    };
    return { ...kept, left_out: [], secrets: await withApiErrors(() => sealSecrets(chosen, passphrase)) };
  }

  /** As `export`, as a ZIP file. */
  async function exportArchive(...args: Parameters<typeof exportEnvironment>): Promise<Uint8Array> {
    return packArchive(await exportEnvironment(...args));
  }

  /** Describes what an import would do; writes nothing. Throws `invalid_export` and `wrong_passphrase`. */
  async function preview(environment: Environment, source: TransferSource): Promise<TransferPreview> {
    const opened = await open(source);
    const hub = await ownHub(environment);
    const { data: now } = await hub.call<{ data: ExportFile['settings'] }>('GET', '/environment/settings');
    const index = await readHubIndex(hub);
    const { file, secrets, needsPassphrase } = opened;
    const existing = await existingFiles(file);
    return {
      origin: source.kind === 'server' ? source.url : file.environment,
      exportedAt: source.kind === 'server' ? null : file.exported_at,
      rows: previewRows(file, index, existing),
      effects: describeEffects(file, now, { names: presentProviders(file, existing), mayBeReplaced: true }),
      leftOut: secrets ? [] : file.left_out,
      needsPassphrase,
      hasSecrets: secrets !== undefined,
    };
  }

  /** Imports into an environment of this hub; resolves to one row for each imported thing. */
  async function importFrom(
    environment: Environment,
    source: TransferSource,
    choice: TransferChoice,
  ): Promise<TransferRow[]> {
    const { file: whole, secrets } = await open(source);
    const file = narrow(whole, choice);
    const isOwner = environment.id === environments.workspaceEnvironment.id;
    const parts = new Set(choice.parts);
    const { conflict } = choice;
    // Comes first, because an integration needs its provider.
    const providers = parts.has('integrations') ? await writeProviders(providerEntries, file, conflict) : [];
    const { rows, renamed } = await writeHub({ hub: await ownHub(environment), file, secrets, conflict, parts });
    const functions = parts.has('functions')
      ? await withApiErrors(() => writeFunctions({ workspace, file, conflict, renamed, isOwner }))
      : [];
    return [...providers, ...rows, ...functions];
  }

  /** Sends an environment of this hub to another server; resolves to one row for each thing that was sent. */
  async function send(environment: Environment, target: ServerRef, choice: TransferChoice): Promise<TransferRow[]> {
    const hub = callServer(http, target.url, target.secretKey);
    const { file: whole, secrets } = await readOwn(environment);
    // Secrets are restored by their paths in the complete file.
    const file = narrow(restoreSecrets(whole, secrets.withheld), choice);
    const parts = new Set(choice.parts);
    // Fails at once when the key is wrong, before single rows fail.
    await checkServer(hub);
    const { rows, renamed } = await writeHub({ hub, file, secrets, conflict: choice.conflict, parts });
    const paths = parts.has('functions') ? Object.keys(sourceFiles(file)) : [];
    const functions = await sendFunctions({
      hub,
      conflict: choice.conflict,
      paths,
      renamed,
      deployments,
      environmentId: environment.id,
      programVersion: version,
    });
    return [...rows, ...functions];
  }

  async function readOwn(
    environment: Environment,
    only: HubSelection = {},
  ): Promise<{ file: ExportFile; secrets: ExportedSecrets }> {
    const { secrets, ...contents } = await readHub(await ownHub(environment), only);
    const isOwner = environment.id === environments.workspaceEnvironment.id;
    const chosen = chosenKeys(only);
    const files = Object.fromEntries(
      Object.entries(isOwner ? await readFunctionFiles(workspace) : {}).filter(
        ([path]) => chosen === undefined || isCatalogPath(path) || chosen.includes(path.split('/')[0] ?? ''),
      ),
    );
    const file: ExportFile = {
      format: 'homeport-export',
      version: 1,
      exported_at: new Date(clock.now()).toISOString(),
      environment: environment.name,
      ...contents,
      functions: { ...contents.functions, ...files },
    };
    return { file, secrets };
  }

  async function open(source: TransferSource): Promise<Opened> {
    if (source.kind === 'server') {
      const hub = callServer(http, source.url, source.secretKey);
      await checkServer(hub);
      const { secrets, ...contents } = await readHub(hub);
      const file: ExportFile = {
        format: 'homeport-export',
        version: 1,
        exported_at: new Date(clock.now()).toISOString(),
        environment: hub.baseUrl,
        ...contents,
        functions: { ...contents.functions, ...(await readOwnProviders(hub, contents.integrations)) },
      };
      return { file: restoreSecrets(file, secrets.withheld), secrets, needsPassphrase: false };
    }
    const contents =
      source.kind === 'file'
        ? source.file
        : await withApiErrors(async () => openArchive(Buffer.from(source.archive, 'base64')));
    const found = exportFile.safeParse(contents);
    if (!found.success) {
      const [issue] = found.error.issues;
      throw new HomeportError(
        'invalid_export',
        `This is not an export of Homeport${issue ? ` (${issue.path.join('.')}: ${issue.message})` : ''}.`,
      );
    }
    const file = found.data;
    const { secrets: sealed } = file;
    const { passphrase } = source;
    if (!sealed) return { file, secrets: undefined, needsPassphrase: false };
    // Without a passphrase secrets are left out, and the report names them.
    if (passphrase === undefined) return { file, secrets: undefined, needsPassphrase: true };
    const secrets = exportedSecrets.parse(await withApiErrors(() => openSecrets(sealed, passphrase)));
    return { file: restoreSecrets(file, secrets.withheld), secrets, needsPassphrase: false };
  }

  async function existingFiles(file: ExportFile): Promise<ReadonlySet<string>> {
    const existing = new Set<string>();
    for (const key of exportedProviders(file).keys())
      if ((await providerEntries.read(key)).file !== null) existing.add(`provider ${key}`);
    for (const path of Object.keys(sourceFiles(file))) {
      const target = await withApiErrors(async () => pathBelow(workspace, path));
      if ((await readIfExists(target)) !== undefined) existing.add(path);
    }
    return existing;
  }

  async function ownHub(environment: Environment): Promise<HubCalls> {
    return callOwnHub(apiUrl(), await environments.revealSecretKey(environment.id), fetch);
  }

  return { export: exportEnvironment, exportArchive, preview, import: importFrom, send };
}

function previewRows(
  file: ExportFile,
  index: Awaited<ReturnType<typeof readHubIndex>>,
  existing: ReadonlySet<string>,
): PreviewRow[] {
  return [
    ...(Object.keys(file.settings).length > 0
      ? [{ kind: 'settings' as const, name: 'settings', exists: true, integration: null }]
      : []),
    ...file.webhook_destinations.map(exportedDestinationName).map((name) => ({
      kind: 'destination' as const,
      name,
      exists: index.destinations.has(name),
      integration: null,
    })),
    ...file.saved_queries.map(({ name }) => ({
      kind: 'query' as const,
      name,
      exists: index.queries.has(name.toLowerCase()),
      integration: null,
    })),
    ...file.record_destinations.map(({ name }) => ({
      kind: 'record-destination' as const,
      name,
      exists: index.recordDestinations.has(name),
      integration: null,
    })),
    ...[...exportedProviders(file).keys()].map((name) => ({
      kind: 'provider' as const,
      name,
      exists: existing.has(`provider ${name}`),
      integration: null,
    })),
    ...file.integrations.map(({ unique_key: name }) => ({
      kind: 'integration' as const,
      name,
      exists: index.integrations.has(name),
      integration: name,
    })),
    ...file.connections.map(({ connection_id: id, provider_config_key: key }) => ({
      kind: 'connection' as const,
      name: `${key}/${id}`,
      exists: index.connections.has(`${key}/${id}`),
      integration: key,
    })),
    ...Object.keys(sourceFiles(file)).map((name) => ({
      kind: 'function' as const,
      name,
      exists: existing.has(name),
      integration: name.includes('/') ? (name.split('/')[0] ?? null) : null,
    })),
  ];
}

/** The part to which a member of the file belongs. */
const partOf = (member: string): TransferPart =>
  member === 'webhook_destinations' ? 'settings' : (member as TransferPart);

/** Reduces a file to the chosen parts and integrations. Provider entries belong to the integrations. */
function narrow(file: ExportFile, { parts, integrations }: Pick<TransferChoice, 'parts' | 'integrations'>): ExportFile {
  const isChosen = (key: string): boolean => integrations === undefined || integrations.includes(key);
  const has = (part: TransferPart): boolean => parts.includes(part);
  const isOfChosen = (path: string): boolean => {
    const [folder = ''] = path.split('/');
    return !file.integrations.some(({ unique_key }) => unique_key === folder) || isChosen(folder);
  };
  return {
    ...file,
    settings: has('settings') ? file.settings : {},
    webhook_destinations: has('settings') ? file.webhook_destinations : [],
    saved_queries: has('settings') ? file.saved_queries : [],
    record_destinations: has('settings') ? file.record_destinations : [],
    integrations: has('integrations') ? file.integrations.filter(({ unique_key }) => isChosen(unique_key)) : [],
    connections: has('connections')
      ? file.connections.filter(({ provider_config_key }) => isChosen(provider_config_key))
      : [],
    functions: Object.fromEntries(
      Object.entries(file.functions).filter(
        ([path]) => (isCatalogPath(path) ? has('integrations') : has('functions')) && isOfChosen(path),
      ),
    ),
  };
}

/** Converts a `TransferFailure` of the work to an error of the API. */
async function withApiErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TransferFailure) throw new HomeportError(error.code, error.message, { cause: error });
    throw error;
  }
}
