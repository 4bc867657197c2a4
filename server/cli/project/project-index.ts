import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfExists } from '../../lib/read-if-exists.ts';

/** Adds a function to the project's index file, if there is one. The hub itself finds functions by their folders. */
export async function addToIndex(root: string, path: string): Promise<void> {
  const index = join(root, 'index.ts');
  const text = await readIfExists(index);
  if (text === undefined) return;
  const line = `import './${path.replace(/\.ts$/, '.js')}';\n`;
  if (!text.includes(line)) await writeFile(index, `${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${line}`);
}
