import {
  LAYERS,
  type Layer,
  ONLY_PACKAGES,
  PACKAGE_HOMES,
  type Permission,
  SERVICES,
} from '../../build/config/layers.ts';
import type { ImportFact } from './file-facts.ts';
import type { SourceFile } from './source-tree.ts';

const SERVICES_FOLDER = 'server/services';
const COMPOSITION_ROOT = [
  'server/app.ts',
  'server/app-infrastructure.ts',
  'server/app-services.ts',
  'server/app-dashboard-services.ts',
  'server/offline-data.ts',
];

type Imports = Pick<SourceFile, 'path' | 'imports'>;

export const isWithin = (file: string, folder: string): boolean => file === folder || file.startsWith(`${folder}/`);
export const isOutsideLayers = (file: string): boolean => isWithin(file, 'test') || /\.test\.tsx?$/.test(file);

const layersOf = (file: string): Layer[] => LAYERS.filter(({ path }) => isWithin(file, path));
const serviceOf = (file: string): string | undefined =>
  isWithin(file, SERVICES_FOLDER) ? file.split('/')[2] : undefined;

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

/** The order of the services, and the one file of each that others may import. */
function serviceRule(file: string, found: ImportFact): string | undefined {
  const from = serviceOf(file);
  const to = serviceOf(found.to);
  if (to === undefined || from === to || COMPOSITION_ROOT.includes(file)) return undefined;
  if (from !== undefined && rank(to) > rank(from)) return `the service ${to} stands above ${from}`;
  const isEntryFile = found.to === `${SERVICES_FOLDER}/${to}/${to}-service.ts`;
  return isEntryFile || found.isTypeOnly
    ? undefined
    : `only ${to}-service.ts may be imported from outside its folder (other files as types)`;
}

function rank(service: string): number {
  return (SERVICES as readonly string[]).indexOf(service);
}

function packageRule(file: string, found: ImportFact): string | undefined {
  const only = Object.entries(ONLY_PACKAGES).find(([folder]) => isWithin(file, folder));
  if (only && !only[1].includes(found.to)) return `${only[0]} may import ${only[1].join(', ')} only`;
  const homes = Object.hasOwn(PACKAGE_HOMES, found.to) ? PACKAGE_HOMES[found.to] : undefined;
  return !homes || homes.some((home) => isWithin(file, home))
    ? undefined
    : `${found.to} belongs to ${homes.join(', ')}`;
}

/** One sentence for every import that the table forbids. */
export function findViolations(files: Imports[]): string[] {
  return files
    .filter(({ path }) => !isOutsideLayers(path))
    .flatMap(({ path, imports }) =>
      imports.flatMap((found) => {
        const reason = found.isRelative
          ? (layerRule(path, found) ?? serviceRule(path, found))
          : packageRule(path, found);
        return reason ? [`${path}:${found.line} imports ${found.to}: ${reason}`] : [];
      }),
    );
}

export function findUnknownServices(files: Imports[]): string[] {
  const names = new Set(files.flatMap(({ path }) => serviceOf(path) ?? []));
  return [...names].filter((name) => rank(name) === -1);
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
