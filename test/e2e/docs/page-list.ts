import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../architecture/source-tree.ts';

const DOCS = join(ROOT, 'server/docs');
/** Everything below it is about writing pages. */
const RULES = '\n## How to write a page\n';

/** The pages in the order of their list, without the generated ones. */
export function pageNames(): string[] {
  const [list = ''] = readFileSync(join(DOCS, 'README.md'), 'utf8').split(RULES);
  return [...list.matchAll(/^\| \[[^\]]+\]\(([\w-]+)\.md\) \|/gm)].map(([, name = '']) => name);
}

export const readPage = (name: string): string => readFileSync(join(DOCS, `${name}.md`), 'utf8');
