import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './setup-paths.mjs';

const isInput = (name) => !/\.test\.tsx?$|\.md$/.test(name);

function* filesUnder(file) {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isFile()) return yield { file, stat };
  for (const entry of readdirSync(file, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = path.join(file, entry.name);
    if (entry.isDirectory()) yield* filesUnder(inner);
    else if (isInput(entry.name)) yield { file: inner, stat: statSync(inner) };
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
 * otherwise `fingerprint` has to decide.
 */
export function createGlance() {
  const seen = new Map();
  const linesOf = (input) => {
    if (!seen.has(input)) {
      const lines = [...filesUnder(path.join(ROOT, input))].map(
        ({ file, stat }) => `${path.relative(ROOT, file)}\0${stat.size}\0${stat.mtimeMs}`,
      );
      seen.set(input, lines.join('\n'));
    }
    return seen.get(input);
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
