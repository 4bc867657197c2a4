import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REFERENCE, type WrittenPage } from './written-page.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** Everything below it in the list is about writing pages. */
const RULES = '\n## How to write a page\n';
/** Where the list has no heading. */
const FIRST_SECTION = 'Guide';

/** The pages that people wrote, in the order of server/docs/README.md, and the commands. */
export function writtenPages(): WrittenPage[] {
  const [list = ''] = read('server/docs/README.md').split(RULES);
  let section = FIRST_SECTION;
  const pages: WrittenPage[] = [];
  for (const line of list.split('\n')) {
    const [, heading] = /^## (.+)$/.exec(line) ?? [];
    const [, title = '', name, about = ''] = /^\| \[([^\]]+)\]\(([\w-]+)\.md\) \| (.+?) \|$/.exec(line) ?? [];
    if (heading !== undefined) section = heading;
    if (name !== undefined)
      pages.push({ name, title, about: plainLinks(about), section, text: servedLinks(read(`server/docs/${name}.md`)) });
  }
  return pages;
}

export const commandsPage = (): WrittenPage => ({
  name: 'commands',
  title: 'Commands',
  about: 'every command of `homeport`, with its exit statuses and an example',
  section: REFERENCE,
  text: read('server/cli/commands.md'),
});

/** Links to files that are not served become plain words. */
function servedLinks(text: string): string {
  const served = text.replaceAll('](../cli/commands.md)', '](commands.md)');
  return served.replaceAll(/(?<!!)\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1');
}

function plainLinks(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
