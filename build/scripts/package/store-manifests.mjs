import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../setup/setup-paths.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';

const TEMPLATES = path.join(ROOT, 'build/resources/stores');

/**
 * Fills the templates of the Homebrew cask and of the winget manifests with the version and the sums of a release.
 * `sums` is the text of its SHA256SUMS. A package that is missing there is an error: the manifest would name no file.
 */
export function fillManifest(template, { version, download, homepage, sums }) {
  const values = { version, download, homepage };
  return template.replaceAll(/\{\{([^{}]+)\}\}/g, (_whole, name) => {
    if (Object.hasOwn(values, name)) return values[name];
    const [kind, ending] = name.split(' ');
    const file = `Homeport-${version}-${ending}`;
    const sum = sums
      .split('\n')
      .map((line) => line.split(/\s+\*?/))
      .find(([, found]) => found === file)?.[0];
    if (!sum) throw new SetupProblem(`There is no sum of ${file} in SHA256SUMS.`);
    return kind === 'SHA256' ? sum.toUpperCase() : sum;
  });
}

/** `node store-manifests.mjs <version> <address of the downloads> <home page> <SHA256SUMS> <folder for the result>` */
function run([version, download, homepage, sumsFile, out]) {
  const sums = readFileSync(sumsFile, 'utf8');
  for (const entry of readdirSync(TEMPLATES, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'README.md') continue;
    const file = path.join(entry.parentPath, entry.name);
    const target = path.join(out, path.relative(TEMPLATES, file));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, fillManifest(readFileSync(file, 'utf8'), { version, download, homepage, sums }));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) run(process.argv.slice(2));
