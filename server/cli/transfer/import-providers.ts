import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseDocument } from 'yaml';
import type { ExportFile } from '../../data/transfer/export-file.ts';
import { exportedProviders } from '../../data/transfer/import-effects.ts';
import { makeFolder } from '../../platform/lib/make-folder.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import type { HubClient } from '../hub/hub-client.ts';

/** Time in which a hub loads a saved catalogue file. */
const LOADED_WITHIN_MS = 10_000;
const POLL_EVERY_MS = 100;
const FILE = 'providers.yaml';

/**
 * Adds provider entries to the workspace of the user's own hub and waits until the hub uses them, before integrations
 * are created. Existing entries stay unchanged. Resolves to one sentence for each entry that could not be added.
 */
export async function importProviders(
  hub: HubClient,
  file: ExportFile,
  functionsFolder: string | undefined,
): Promise<string[]> {
  const wanted = exportedProviders(file);
  if (wanted.size === 0) return [];
  if (functionsFolder === undefined) return missingAt(hub, [...wanted.keys()]);
  const path = join(functionsFolder, FILE);
  const document = parseDocument((await readIfExists(path)) ?? '');
  if (document.errors.length > 0) return [`providers: ${path} cannot be read, so nothing was added to it`];
  const skipped: string[] = [];
  const added: string[] = [];
  for (const [key, entry] of wanted) {
    const present: unknown = document.toJS()?.[key];
    if (present === undefined) {
      document.set(key, entry);
      added.push(key);
    } else if (JSON.stringify(present) !== JSON.stringify(entry))
      skipped.push(`provider ${key}: ${path} has another entry of this name, which stays`);
  }
  if (added.length === 0) return skipped;
  await makeFolder(functionsFolder);
  await writeFile(path, document.toString());
  for (const key of added) {
    const problem = await untilKnown(hub, key);
    if (problem !== undefined) skipped.push(`provider ${key}: ${problem}`);
  }
  return skipped;
}

/** Names of the export's providers that the hub has an entry of its own for: these stay as they are. */
export async function listPresentProviders(hub: HubClient, file: ExportFile): Promise<ReadonlySet<string>> {
  const present = new Set<string>();
  for (const key of exportedProviders(file).keys()) {
    const { status, body } = await hub.send('GET', pathOf(key));
    if (status === 200 && (body as { data: { source?: string } }).data.source !== 'built-in') present.add(key);
  }
  return present;
}

/** The API cannot write to the workspace of another computer. */
async function missingAt(hub: HubClient, keys: string[]): Promise<string[]> {
  const responses = await Promise.all(keys.map((key) => hub.send('GET', pathOf(key))));
  return keys.flatMap((key, index) =>
    responses[index]?.status === 200
      ? []
      : [`provider ${key}: put its entry into the ${FILE} of the hub at ${hub.baseUrl}, then import again`],
  );
}

/** Waits until an override is in use or waits for approval; the list of providers shows both. */
async function untilKnown(hub: HubClient, key: string): Promise<string | undefined> {
  const limit = AbortSignal.timeout(LOADED_WITHIN_MS);
  for (;;) {
    const { status, body } = await hub.send('GET', pathOf(key));
    const { data, error } = body as { data?: { source?: string }; error?: { message?: string } };
    if (status === 200 && data?.source !== 'built-in') return undefined;
    if (limit.aborted) {
      if (status === 200) return 'its change waits for approval: homeport providers';
      return error?.message ?? 'the hub did not load it';
    }
    await delay(POLL_EVERY_MS);
  }
}

function pathOf(key: string): string {
  return `/providers/${encodeURIComponent(key)}`;
}
