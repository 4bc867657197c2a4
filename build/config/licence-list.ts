import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Licence {
  name: string;
  version: string;
  licence: string;
  /** Systems and processors for which the package is made, in Node's words; absent: all. */
  os?: string[];
  cpu?: string[];
}

interface LockedPackage {
  version?: string;
  license?: string;
  os?: string[];
  cpu?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

interface Manifest {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const IMPORTED = /(?:from|import) '(@[\w.-]+\/[\w.-]+|[a-z][\w.-]*)/g;
/** The desktop app runs in Electron, but no page imports it. */
const SHELL = 'electron';

/**
 * Packages that ship, on any machine: those of the server, those that the pages import, and the dependencies of both. Licences are
 * taken from the lock file; a missing one is shown as a dash.
 */
export function listLicences(root: string): Licence[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const inPages = new Set(
    globSync('renderer/**/*.{ts,tsx,css}', { cwd: root, exclude: ['**/*.test.*'] }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(IMPORTED)].map(([, name = '']) => name),
    ),
  );
  const shipped = Object.keys(manifest.devDependencies).filter((name) => name === SHELL || inPages.has(name));
  const waiting = [
    ...[...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies), ...shipped].map(
      (name) => ({ name, from: '' }),
    ),
  ];
  const found = new Map<string, Licence>();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const path = resolve(packages, next.name, next.from);
    const one = path === undefined ? undefined : packages[path];
    if (path === undefined || !one || found.has(path)) continue;
    found.set(path, {
      name: next.name,
      version: one.version ?? '',
      licence: one.license ?? '–',
      ...(one.os && { os: one.os }),
      ...(one.cpu && { cpu: one.cpu }),
    });
    // Electron itself ships, but its dependencies only download it.
    if (next.name === SHELL) continue;
    for (const name of Object.keys({ ...one.dependencies, ...one.optionalDependencies }))
      waiting.push({ name, from: path });
  }
  return [...found.values()].toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** Resolves a package as Node does: next to the package that asks, then in the folders above. */
function resolve(packages: Record<string, LockedPackage>, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}
