import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './setup-paths.mjs';

const isInput = (name) => !/\.test\.tsx?$|\.md$/.test(name);

/** The files of an input: a file, a folder, or all files of a folder that end with the same suffix (`server/*.contract.ts`). */
function* filesUnder(file, accepts = isInput) {
  const [, folder, suffix] = /^(.*)[\\/]\*(\.[^\\/]+)$/.exec(file) ?? [];
  if (folder !== undefined) {
    // Documents are read only by the step that asks for them.
    yield* filesUnder(folder, (name) => name.endsWith(suffix) && (suffix === '.md' || isInput(name)));
    return;
  }
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isFile()) return yield { file, stat };
  for (const entry of readdirSync(file, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = path.join(file, entry.name);
    if (entry.isDirectory()) yield* filesUnder(inner, accepts);
    else if (accepts(entry.name)) yield { file: inner, stat: statSync(inner) };
  }
}

/** Hash of the names and contents of files and folders (relative to the repository), without tests. */
export function fingerprint(inputs, ...more) {
  const hash = createHash('sha256');
  for (const value of more) hash.update(`${value}\0`);
  for (const input of inputs) {
    for (const { file } of filesUnder(path.join(ROOT, input))) {
      hash.update(`${path.relative(ROOT, file)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest('hex').slice(0, 32);
}

/**
 * Names, sizes and modification times of files, for many lists of inputs at once. The same result means unchanged;
 * otherwise `fingerprint` has to decide. Every command in a checkout waits for it, so it looks at each file once.
 */
export function createGlance() {
  const seen = new Map();
  /** `input` is relative to the repository. */
  const linesOf = (input) => {
    if (!seen.has(input)) seen.set(input, readLines(input));
    return seen.get(input);
  };
  const lineOf = (name, { size, mtimeMs }) => `${name}\0${size}\0${mtimeMs}\n`;
  const readLines = (input) => {
    if (input.includes('*'))
      return [...filesUnder(`${ROOT}/${input}`)].map(({ file, stat }) => lineOf(file, stat)).join('');
    const stat = statSync(`${ROOT}/${input}`, { throwIfNoEntry: false });
    if (!stat) return '';
    if (stat.isFile()) return lineOf(input, stat);
    const entries = readdirSync(`${ROOT}/${input}`, { withFileTypes: true });
    const lines = entries.map((entry) => {
      const name = `${input}/${entry.name}`;
      if (entry.isDirectory()) return linesOf(name);
      return isInput(entry.name) ? lineOf(name, statSync(`${ROOT}/${name}`)) : '';
    });
    return lines.sort().join('');
  };
  return (inputs) => createHash('sha256').update(inputs.map(linesOf).join('\n')).digest('hex').slice(0, 32);
}

export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // Missing, or cut short by a power loss: in both cases the step is not done.
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function writeJson(file, value) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
