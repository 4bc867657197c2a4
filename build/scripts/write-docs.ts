import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes dist/docs.json: the pages of server/docs in the order of their list, as `GET /docs` and `/llms.txt` serve
 * them. Links to files that are not served become plain words.
 */
const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Without the rules for writers. */
const [LIST = ''] = read('server/docs/README.md').split('\n## How to write a page\n');
const COMMANDS = { name: 'commands', title: 'Every command', about: 'with its exit statuses and an example' };
const listed = [...LIST.matchAll(/^\| \[([^\]]+)\]\(([\w-]+)\.md\) \| (.+?) \|$/gm)].map(
  ([, title = '', name = '', about = '']) => ({ name, title, about: plainLinks(about) }),
);
const pages = [
  { name: 'index', title: 'Documentation', about: 'the list of all pages', text: servedLinks(LIST) },
  ...listed.map((page) => ({ ...page, text: servedLinks(read(`server/docs/${page.name}.md`)) })),
  { ...COMMANDS, text: read('server/cli/commands.md') },
];
writeFileSync(join(ROOT, 'dist/docs.json'), JSON.stringify(pages));

function servedLinks(text: string): string {
  const served = text.replaceAll('](../cli/commands.md)', `](${COMMANDS.name}.md)`);
  return served.replaceAll(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1');
}

function plainLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
