import type { HubClient } from '../hub/hub-client.ts';
import type { ExportedConnection, ExportedSecrets, ExportFile } from './export-file.ts';
import { toImportable } from './importable-credentials.ts';

/** What an import did, and what it could not do. */
export interface ImportReport {
  integrations: number;
  connections: number;
  functions: number;
  /** One sentence each. */
  skipped: string[];
}

export interface WriteHubOptions {
  hub: HubClient;
  file: ExportFile;
  /** Undefined when the file has none, or nobody gave the passphrase. */
  secrets: ExportedSecrets | undefined;
}

type Wire = Record<string, unknown>;

/** Writes everything but functions into a hub, through its public API only. What is there already stays or is updated. */
export async function writeHub({ hub, file, secrets }: WriteHubOptions): Promise<ImportReport> {
  const report: ImportReport = { integrations: 0, connections: 0, functions: 0, skipped: [] };
  await hub.call('PATCH', '/environment/settings', {
    body: { ...file.settings, ...(secrets ? { variables: secrets.variables } : {}) },
  });
  for (const integration of file.integrations) {
    const sealed = secrets?.integrations[integration.unique_key] ?? {};
    const problem = await writeIntegration(hub, integration, sealed);
    if (problem === undefined) report.integrations += 1;
    else report.skipped.push(`integration ${integration.unique_key}: ${problem}`);
  }
  for (const connection of file.connections) {
    const credentials = secrets?.connections[connection.provider_config_key]?.[connection.connection_id];
    const problem = await writeConnection(hub, connection, credentials);
    if (problem === undefined) report.connections += 1;
    else report.skipped.push(`connection ${connection.provider_config_key}/${connection.connection_id}: ${problem}`);
  }
  if (!secrets) report.skipped.push(...file.left_out.map((part) => `${part}: secret, so it is not in the file`));
  return report;
}

async function writeIntegration(
  hub: HubClient,
  { unique_key, ...shared }: ExportFile['integrations'][number],
  sealed: ExportedSecrets['integrations'][string],
): Promise<string | undefined> {
  const path = `/integrations/${encodeURIComponent(unique_key)}`;
  const { provider, ...changes } = shared;
  const exists = (await hub.send('GET', path)).status === 200;
  const answer = exists
    ? await hub.send('PATCH', path, { body: { ...changes, ...sealed } })
    : await hub.send('POST', '/integrations', { body: { unique_key, provider, ...changes, ...sealed } });
  return problemOf(answer);
}

async function writeConnection(
  hub: HubClient,
  connection: ExportedConnection,
  credentials: Wire | undefined,
): Promise<string | undefined> {
  const { connection_id, provider_config_key, metadata } = connection;
  if (credentials === undefined) {
    // What is there already stays: the file may lack secret members.
    const answer = await hub.send('PATCH', '/connections/metadata', {
      body: { connection_id, provider_config_key, metadata },
    });
    return answer.status === 404 ? 'connect it anew, its credentials are not in the file' : problemOf(answer);
  }
  const importable = toImportable(credentials, connection.connection_config);
  if (!importable) return `connect it anew, credentials of type ${String(credentials['type'])} cannot be imported`;
  return problemOf(await hub.send('POST', '/connections', { body: { ...connection, credentials: importable } }));
}

function problemOf({ status, body }: { status: number; body: unknown }): string | undefined {
  if (status < 400) return undefined;
  const { error } = (body ?? {}) as {
    error?: { code?: string; message?: string; errors?: Array<{ message: string; path: string[] }> };
  };
  const issues = (error?.errors ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
  return [error?.message ?? error?.code ?? `status ${status}`, ...issues].join('; ');
}
