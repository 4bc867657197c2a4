import {
  LAYERS,
  type Layer,
  NOUNS,
  ONLY_PACKAGES,
  PACKAGE_HOMES,
  type Permission,
  RULES,
} from '../../build/config/layers.ts';
import type { ImportFact } from './file-facts.ts';
import type { SourceFile } from './source-tree.ts';

const ROOT = 'server/';
/** The suffix of a file of a noun says its layer; `*.service.ts` and a file without a suffix hold the rules. */
const SUFFIX = /\.(contract|tables|store|present|job|api|dashboard)(\.test)?\.ts$/;
const COMPOSITION_ROOT = [
  'server/app.ts',
  'server/app-infrastructure.ts',
  'server/app-services.ts',
  'server/app-agent-services.ts',
  'server/app-jobs.ts',
  'server/app-dashboard-services.ts',
  'server/offline-data.ts',
];

type Imports = Pick<SourceFile, 'path' | 'imports'>;

const stands = (file: string, folder: string): boolean => file === folder || file.startsWith(`${folder}/`);
const nounOf = (file: string): string | undefined => {
  const name = file.startsWith(ROOT) ? file.split('/')[1] : undefined;
  return name !== undefined && rank(name) !== -1 ? name : undefined;
};
/** Folders of a noun that are layers of their own, such as the catalogue. */
const ENGINES = [
  'server/functions/dry-run',
  'server/integrations/catalog',
  'server/data/transfer',
  'server/agents/programs',
  'server/integrations/descriptions',
  'server/queries/engine',
  'server/dashboard/api',
];
const isRule = (file: string): boolean =>
  nounOf(file) !== undefined && !SUFFIX.test(file) && !ENGINES.some((folder) => stands(file, folder));

/** Whether a file belongs to a place of the table: a folder, a file, `*.<suffix>.ts`, or the rules of the nouns. */
export function isWithin(file: string, place: string): boolean {
  if (place === RULES) return isRule(file);
  if (place.startsWith('*.')) return file.startsWith(ROOT) && file.endsWith(place.slice(1));
  return stands(file, place);
}
export const isOutsideLayers = (file: string): boolean => isWithin(file, 'test') || /\.test\.tsx?$/.test(file);

const layersOf = (file: string): Layer[] => LAYERS.filter(({ path }) => isWithin(file, path));

function permits({ to, typesOnly }: Permission, found: ImportFact): boolean {
  return isWithin(found.to, to) && (!typesOnly || found.isTypeOnly);
}

function layerRule(file: string, found: ImportFact): string | undefined {
  if (isWithin(found.to, 'test')) return 'only tests import test/';
  const layers = layersOf(file);
  if (layers.length === 0) return 'stands in no layer of build/config/layers.ts';
  const isInside = layers.some(({ path }) => isWithin(found.to, path));
  if (isInside || layers.some(({ mayImport }) => mayImport.some((permission) => permits(permission, found))))
    return undefined;
  const closest = layers.at(-1);
  const isAllowedAsType = layers.some(({ mayImport }) => mayImport.some(({ to }) => isWithin(found.to, to)));
  return isAllowedAsType ? `${closest?.path} may import it as a type only` : `${closest?.path}: ${closest?.why}`;
}

/** The order of the nouns, and the files of each that others may load. */
function nounRule(file: string, found: ImportFact): string | undefined {
  const to = nounOf(found.to);
  if (to === undefined || !isRule(found.to) || COMPOSITION_ROOT.includes(file)) return undefined;
  // The documentation is made from the constants that the program checks.
  if (file.startsWith('build/scripts/')) return undefined;
  const from = nounOf(file);
  if (from === to) return undefined;
  if (from !== undefined && isRule(file) && rank(to) > rank(from)) return `the noun ${to} stands above ${from}`;
  return found.to.endsWith('.service.ts') || found.isTypeOnly
    ? undefined
    : `only *.service.ts may be loaded from outside the folder ${to} (other files as types)`;
}

function rank(noun: string): number {
  return (NOUNS as readonly string[]).indexOf(noun);
}

function packageRule(file: string, found: ImportFact): string | undefined {
  const only = Object.entries(ONLY_PACKAGES).find(([folder]) => isWithin(file, folder));
  if (only && !only[1].includes(found.to)) return `${only[0]} may import ${only[1].join(', ')} only`;
  const homes = Object.hasOwn(PACKAGE_HOMES, found.to) ? PACKAGE_HOMES[found.to] : undefined;
  return !homes || homes.some((home) => isWithin(file, home))
    ? undefined
    : `${found.to} belongs to ${homes.join(', ')}`;
}

/** Tests import everything, except a second SQLite: it takes away the locks of a hub in the same process. */
function testRule(file: string, found: ImportFact): string | undefined {
  return found.to === 'node:sqlite' && !isWithin(file, 'test/simulation')
    ? 'tests read databases with test/support/look-into.ts'
    : undefined;
}

function reasonOf(file: string, found: ImportFact): string | undefined {
  if (isOutsideLayers(file)) return testRule(file, found);
  return found.isRelative ? (layerRule(file, found) ?? nounRule(file, found)) : packageRule(file, found);
}

/** One sentence for every import that the table forbids. */
export function findViolations(files: Imports[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.flatMap((found) => {
      const reason = reasonOf(path, found);
      return reason ? [`${path}:${found.line} imports ${found.to}: ${reason}`] : [];
    }),
  );
}

const OTHER_FOLDERS = ['platform', 'schema', 'contract', 'practice', 'cli'];

/** Folders of server that are neither a noun of the list nor one of the few others. */
export function findUnknownNouns(files: Pick<Imports, 'path'>[]): string[] {
  const names = files.flatMap(({ path }) => /^server\/([^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)].filter((name) => rank(name) === -1 && !OTHER_FOLDERS.includes(name));
}

/** Permissions that no file uses although both sides have files, as `<layer> → <target>`. */
export function findUnusedPermissions(files: Imports[]): string[] {
  const inside = files.filter(({ path }) => !isOutsideLayers(path));
  const exists = (folder: string): boolean => inside.some(({ path }) => isWithin(path, folder));
  const isUsed = (from: string, to: string): boolean =>
    inside.some(({ path, imports }) => isWithin(path, from) && imports.some((found) => isWithin(found.to, to)));
  const permissions = LAYERS.flatMap(({ path, mayImport }) =>
    mayImport.filter(({ to }) => exists(path) && exists(to) && !isUsed(path, to)).map(({ to }) => `${path} → ${to}`),
  );
  const packages = Object.entries(PACKAGE_HOMES).flatMap(([name, homes]) =>
    homes.filter((home) => exists(home) && !isUsed(home, name)).map((home) => `${home} → ${name}`),
  );
  return [...permissions, ...packages];
}

/** Unused permissions that are not planned, and plans that are now in use. A plan between empty folders is not reported. */
export function findStaleEntries(files: Imports[], planned: string[]): string[] {
  const unused = findUnusedPermissions(files);
  const isEmpty = (folder = ''): boolean => !files.some(({ path }) => isWithin(path, folder));
  const fulfilled = planned.filter((plan) => !unused.includes(plan) && !plan.split(' → ').some(isEmpty));
  return [
    ...unused.filter((permission) => !planned.includes(permission)),
    ...fulfilled.map((plan) => `${plan} is in use: take it off PLANNED`),
  ];
}
