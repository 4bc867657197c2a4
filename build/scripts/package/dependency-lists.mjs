import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../setup/setup-paths.mjs';
import { runtimeOf } from './package-targets.mjs';

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * Writes the contents of a package into `folder`: `LICENSES.txt`, the licences of all dependencies with their texts,
 * and `sbom.cdx.json`, the bill of materials in CycloneDX 1.6. `shipped` are the packages next to the bundles, with the
 * dependencies that they load. All other packages are inside the bundles and count with all their dependencies.
 * `withShell` adds the packages of the desktop app.
 */
export function writeDependencyLists({ target, folder, shipped, withShell = false }) {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const components = listComponents({ packages, target, shipped, withShell });
  writeFileSync(path.join(folder, 'LICENSES.txt'), licenceTexts(components));
  writeFileSync(
    path.join(folder, 'sbom.cdx.json'),
    `${JSON.stringify(billOfMaterials(components, packages['']), null, 2)}\n`,
  );
}

/** Every package in the program or its pages, from the lock file, sorted by name and version. */
function listComponents({ packages, target, shipped, withShell }) {
  // Electron's dependencies only download it.
  const loaded = new Map([['electron', []], ...shipped.map(({ name, dependencies }) => [name, dependencies])]);
  const seen = new Map();
  const add = (key) => {
    const entry = packages[key];
    if (!entry || seen.has(key) || !suits(entry, target)) return;
    const name = key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length);
    seen.set(key, {
      name,
      version: entry.version,
      license: entry.license ?? readLicenseName(key),
      integrity: entry.integrity,
      key,
    });
    const names = loaded.get(name) ?? Object.keys(entry.dependencies ?? {});
    for (const next of names) add(resolveKey(packages, key, next));
  };
  const { dependencies } = packages[''];
  const beside = ['esbuild', 'oxc-parser', '@duckdb/node-bindings'].flatMap((name) =>
    Object.keys(packages[`node_modules/${name}`]?.optionalDependencies ?? {}),
  );
  const roots = [
    ...Object.keys(dependencies),
    '@duckdb/node-api',
    ...listImports(packages[''], withShell ? [...PAGES, 'electron'] : PAGES),
    ...beside,
    runtimeOf(target).name,
  ];
  for (const name of roots) if (name !== 'keytar' || loaded.has('keytar')) add(`node_modules/${name}`);
  return [...seen.values()].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

const PAGES = ['renderer', 'build/scripts/write-logos.ts'];

/** Packages of the pages and of the shell are development dependencies, but they ship. */
function listImports({ devDependencies }, entries) {
  const sources = entries.flatMap(readSources).join('\n');
  // Only at the start of a line, because the pages also show code as text.
  const statements = sources.matchAll(/^(?:@?import|export|\}|\s*src: url\()[^'"\n]*['"]((?:@[\w-]+\/)?[\w.-]+)/gm);
  const imported = [...statements].map(([, name]) => name);
  return Object.keys(devDependencies).filter((name) => imported.includes(name));
}

function readSources(entry) {
  const file = path.join(ROOT, entry);
  if (/\.tsx?$/.test(file)) return [readFileSync(file, 'utf8')];
  return readdirSync(file, { recursive: true })
    .map(String)
    .filter((name) => /(?<!\.test)\.(tsx?|css)$/.test(name))
    .map((name) => readFileSync(path.join(file, name), 'utf8'));
}

/** Packages with machine code list the systems for which they are made. */
function suits({ os, cpu, libc }, { platform, arch }) {
  const allows = (list, value) => list === undefined || [list].flat().includes(value);
  return allows(os, platform) && allows(cpu, arch) && allows(libc, 'glibc');
}

/** Key of the package that Node finds for `name` from the package at `key`. */
function resolveKey(packages, key, name) {
  for (let base = key; ; base = base.slice(0, base.lastIndexOf('/node_modules/'))) {
    const candidate = `${base}/node_modules/${name}`;
    if (packages[candidate]) return candidate;
    if (!base.includes('/node_modules/')) return `node_modules/${name}`;
  }
}

function readLicenseName(key) {
  const manifest = path.join(ROOT, key, 'package.json');
  if (!existsSync(manifest)) return 'unknown';
  const { license, licenses } = JSON.parse(readFileSync(manifest, 'utf8'));
  return license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'unknown';
}

function licenceTexts(components) {
  const head = 'Homeport contains the following packages. Each has the licence that is named with it.\n';
  const texts = new Map();
  for (const component of components) {
    const text = readLicenceText(component.key);
    texts.set(text, [...(texts.get(text) ?? []), component]);
  }
  const parts = [...texts].map(([text, group]) => {
    const names = group.map(({ name, version, license }) => `${name} ${version} (${license})`).join('\n');
    return `${'='.repeat(80)}\n${names}\n${'-'.repeat(80)}\n${text || 'The package does not contain the text of its licence.'}\n`;
  });
  return `${head}\n${parts.join('\n')}`;
}

function readLicenceText(key) {
  const folder = path.join(ROOT, key);
  if (!existsSync(folder)) return '';
  const files = readdirSync(folder).filter((name) => LICENSE_FILE.test(name));
  return files.map((name) => readFileSync(path.join(folder, name), 'utf8').trim()).join('\n\n');
}

function billOfMaterials(components, { name, version, license }) {
  const purl = (component) => `pkg:npm/${component.name.replace('@', '%40')}@${component.version}`;
  const listed = components.map((component) => ({
    type: 'library',
    'bom-ref': component.key,
    name: component.name,
    version: component.version,
    purl: purl(component),
    licenses: [
      /^[\w.+-]+$/.test(component.license)
        ? { license: licenceId(component.license) }
        : { expression: component.license },
    ],
    ...(component.integrity ? { hashes: [hashOf(component.integrity)] } : {}),
  }));
  // The same contents give the same number, so that two builds of a package can be compared.
  const digest = createHash('sha256').update(JSON.stringify(listed)).digest('hex');
  const serial = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `4${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${serial.join('-')}`,
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': name, name, version, licenses: [{ license: { id: license } }] },
    },
    components: listed,
  };
}

/** npm's "unlicensed" and "unknown" are not SPDX identifiers. */
const licenceId = (license) => (/^(unknown|unlicensed)$/i.test(license) ? { name: license } : { id: license });

/** Converts npm's `sha512-<base64>` to CycloneDX. */
function hashOf(integrity) {
  const [, algorithm, value] = /^sha(\d+)-(\S+)/.exec(integrity);
  return { alg: `SHA-${algorithm}`, content: Buffer.from(value, 'base64').toString('hex') };
}
