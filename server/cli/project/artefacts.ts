import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import { ConcurrencyLimit } from '../../../functions/compiler/concurrency-limit.ts';
import { MARKER, type Project } from './find-project.ts';

/** The operating system limits the number of open files. */
const WRITES_AT_ONCE = 32;
const ON_EVENTS = ['post-connection-creation', 'pre-connection-deletion', 'validate-connection'] as const;

/** Writes bundles and metadata to the places where tools expect them (functions.md 2.5). */
export async function writeArtefacts({ root }: Project, functions: CompiledFunction[]): Promise<void> {
  await mkdir(join(root, 'build'), { recursive: true });
  const limit = new ConcurrencyLimit(WRITES_AT_ONCE);
  await Promise.all(functions.map((one) => limit.run(() => writeFile(bundlePath(root, one.path), one.bundle))));
  await mkdir(join(root, MARKER), { recursive: true });
  await writeFile(join(root, MARKER, 'nango.json'), `${JSON.stringify(describeProject(functions), null, 2)}\n`);
}

/** Path of a function's bundle. */
export function bundlePath(root: string, path: string): string {
  return join(root, 'build', `${path.replace(/\.ts$/, '').replaceAll('/', '_')}.cjs`);
}

function describeProject(functions: CompiledFunction[]): unknown[] {
  return [...Map.groupBy(functions, ({ integration }) => integration)].map(([providerConfigKey, own]) => ({
    providerConfigKey,
    syncs: own.flatMap(({ definition }) => (definition.type === 'sync' ? [definition] : [])),
    actions: own.flatMap(({ definition }) => (definition.type === 'action' ? [definition] : [])),
    onEventScripts: Object.fromEntries(
      ON_EVENTS.map((event) => [
        event,
        own.flatMap(({ name, definition }) =>
          definition.type === 'on-event' && definition.event === event ? [name] : [],
        ),
      ]),
    ),
  }));
}
