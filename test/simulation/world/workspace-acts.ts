import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import { BROKEN, fileNameOf, sourceOf } from '../seams/compiled-before.ts';
import { tellOfChange } from '../seams/no-watcher.ts';
import { realFiles } from '../seams/simulated-files.ts';
import type { Act } from './act.ts';
import { OFF, type Possible } from './expectations.ts';
import type { World } from './world.ts';

/** Half of the functions: of more, the hub asks before it switches them off. */
const EDITED = ['sim/actions/note.ts', 'sim/syncs/changes.ts'] as const;

/** What the real hub made of its workspace. */
export function readCompiled(folder: string): CompiledFunction[] {
  const db = new DatabaseSync(join(folder, 'homeport.db'), { readOnly: true });
  try {
    const rows = db.prepare('SELECT * FROM functions JOIN function_code ON function_id = functions.id').all() as Array<
      Record<string, string>
    >;
    return rows.map((row) => ({
      integration: row['integration_key'] ?? '',
      kind: row['type'] as CompiledFunction['kind'],
      name: row['name'] ?? '',
      path: row['path'] ?? '',
      source: row['source'] ?? '',
      bundle: row['bundle'] ?? '',
      bundleHash: row['bundle_hash'] ?? '',
      bundleFileName: `${row['name']}-${row['integration_key']}.cjs`,
      inputs: [row['path'] ?? ''],
      definition: JSON.parse(row['definition'] ?? ''),
      warnings: [],
    }));
  } finally {
    db.close();
  }
}

export function versionsOf({ expected }: World, path: string): Possible<number> {
  return expected.versions(fileNameOf(path));
}

/** The person saves a file, or removes it; undefined. The hub may be off. */
function save(world: World, path: string, text: string | undefined): void {
  const file = join(world.home, 'functions', path);
  if (text === undefined) realFiles.rmSync(file, { force: true });
  else {
    realFiles.writeFileSync(file, text);
    // No two states of a file have the same time, whatever the clock says.
    const at = (world.trueNow() + ++world.savedFiles) / 1000;
    realFiles.utimesSync(file, at, at);
  }
  world.isWorkspaceChanged = true;
  if (world.hub.isOn) tellOfChange(file);
}

export function saveVersion(world: World, path: string, version: number): void {
  world.newestVersions.set(path, version);
  versionsOf(world, path).maybe(version);
  save(world, path, sourceOf(path, version));
}

async function edit(world: World, pick: number): Promise<string> {
  const path = EDITED[pick % EDITED.length] as string;
  const version = ++world.savedFiles;
  saveVersion(world, path, version);
  return `${path}: version ${version}`;
}

/** The last good version goes on. */
async function breakFile(world: World, pick: number): Promise<string> {
  const path = EDITED[pick % EDITED.length] as string;
  // A version of a moment ago may be skipped.
  world.newestVersions.delete(path);
  save(world, path, BROKEN);
  return path;
}

async function removeFile(world: World, pick: number): Promise<string> {
  const path = EDITED[pick % EDITED.length] as string;
  world.newestVersions.set(path, OFF);
  versionsOf(world, path).maybe(OFF);
  save(world, path, undefined);
  return path;
}

export const WORKSPACE_ACTS = {
  'a function is edited': { weight: 4, run: edit },
  'a function is broken': { weight: 2, run: breakFile },
  'a function is deleted': { weight: 2, run: removeFile },
} as const satisfies Record<string, Act>;

/** A change that failed is applied within this time. */
const RETRIED_MS = 65_000;
/** Enough for a change, or for a sync that must not run. */
const SETTLED_MS = 70_000;

/** Each function is what its file says, then everything is put back. */
export async function checkWorkspace(world: World): Promise<void> {
  const { expected, hub, machine } = world;
  await machine.pass(RETRIED_MS);
  for (const path of EDITED) {
    const newest = world.newestVersions.get(path);
    if (newest !== undefined) versionsOf(world, path).become([newest]);
  }
  await machine.pass(SETTLED_MS);
  const versions = versionsOf(world, 'sim/actions/note.ts');
  for (const { environment, id, account } of expected.connections.values()) {
    const [name] = account.values;
    if (environment !== 'dev' || account.values.size !== 1 || name === 'none') continue;
    const headers = { 'provider-config-key': 'sim', 'connection-id': id };
    const key = `calm-${id}`;
    const call = hub.call('POST', '/action/trigger', { headers, body: { action_name: 'note', input: { key } } });
    const { body, status } = await machine.until('a note', call);
    const isOff = versions.values.size === 1 && versions.has(OFF);
    if (isOff && status === 200) world.violate('a function answers, and its file was deleted');
    // Whatever else goes wrong, it is there.
    if (!versions.has(OFF) && status === 404) world.violate(`a function does not answer: ${JSON.stringify(body)}`);
  }
  // A function whose file is back runs as before, until the file is compiled.
  expected.loosenVersions();
  for (const path of EDITED) saveVersion(world, path, 1);
  await machine.pass(RETRIED_MS);
  for (const path of EDITED) versionsOf(world, path).become([1]);
}
