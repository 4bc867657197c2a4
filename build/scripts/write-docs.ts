import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DocsEntry, DocsPage } from '../../server/contract/docs-tree.ts';
import { createOpenApiDocument } from '../../server/contract/openapi/openapi-document.ts';
import { buildCatalog } from '../../server/integrations/catalog/build-catalog.ts';
import { describedRoutes, type RouteServices } from '../../server/route-table.ts';
import { apiPages } from './docs/api-pages.ts';
import { errorsPage } from './docs/errors-page.ts';
import { keyboardPage } from './docs/keyboard-page.ts';
import { limitsPage } from './docs/limits-page.ts';
import { pageTree, treeText } from './docs/page-tree.ts';
import { providerPages } from './docs/provider-reference.ts';
import { sdkPage } from './docs/sdk-page.ts';
import { searchIndex } from './docs/search-index.ts';
import { variablesPage } from './docs/variables-page.ts';
import type { WrittenPage } from './docs/written-page.ts';
import { commandsPage, writtenPages } from './docs/written-pages.ts';

/**
 * Writes dist/docs, which the hub serves at `/docs`: for each page its Markdown and its tree, the list of all pages
 * (`pages.json`) and the index for the search (`search.json`).
 */
const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'dist/docs');
const PICTURES = join(ROOT, 'server/docs/pictures');

const written = writtenPages();
const routes = describedRoutes({} as RouteServices);
const document = createOpenApiDocument(routes, { serverUrl: 'http://127.0.0.1:3003', version: '0' });
const catalogue = Object.fromEntries(await buildCatalog()) as Parameters<typeof providerPages>[0];
const made: WrittenPage[] = [
  ...apiPages(routes, document),
  sdkPage(),
  commandsPage(),
  variablesPage(),
  limitsPage(),
  errorsPage(document),
  keyboardPage(screensOfWindow()),
  ...providerPages(catalogue, functionsOf),
];

const pages = [...written, ...made].map((page) => {
  const [heading, ...content] = pageTree(page.text);
  if (typeof heading !== 'object' || !('tag' in heading) || heading.tag !== 'h1')
    throw new Error(`The page ${page.name} does not begin with its heading.`);
  return { ...page, heading: treeText(heading.children), content };
});

rmSync(FOLDER, { recursive: true, force: true });
for (const { name, text, heading, content } of pages) {
  const file = join(FOLDER, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.md`, text);
  writeFileSync(`${file}.json`, JSON.stringify({ name, title: heading, content } satisfies DocsPage));
}
const entries = pages.map(({ about, name, section, title }): DocsEntry => ({ name, title, about, section }));
writeFileSync(join(FOLDER, 'pages.json'), JSON.stringify(entries));
writeFileSync(
  join(FOLDER, 'search.json'),
  searchIndex(pages.map((page) => ({ ...page, isReference: !written.some(({ name }) => name === page.name) }))),
);
if (existsSync(PICTURES)) cpSync(PICTURES, join(FOLDER, 'pictures'), { recursive: true });

/** The screens with their keys, read from the list of the window as text: it imports the icons. */
function screensOfWindow(): Array<{ label: string; key: string }> {
  const source = readFileSync(join(ROOT, 'renderer/app/screens.ts'), 'utf8');
  const screens = [...source.matchAll(/\{ id: '\w+', label: '([^']+)',.*? key: '(\w)'/g)];
  if (screens.length < 5)
    throw new Error('renderer/app/screens.ts has another form than the page of the keys expects.');
  return screens.map(([, label = '', key = '']) => ({ label, key }));
}

/** Names of the templates of a provider. */
function functionsOf(provider: string): string[] {
  const files = globSync('{syncs,actions,on-events}/*.ts', { cwd: join(ROOT, 'functions/templates', provider) });
  return files.map((file) => basename(file, '.ts')).sort();
}
