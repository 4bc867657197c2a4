import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { DocsEntry } from '../../contract/docs-tree.ts';
import { hasErrorCode } from '../lib/error-code.ts';

const ABOUT =
  'A desktop, self-hosted integration hub: it holds the accounts of a person on their own computer, renews their ' +
  'credentials, and lets apps and agents call providers, run functions and read synced records over a local API.';

/** Files of the folder: pages, the list of pages and the index for the search, pictures. */
const FILE = /^(?:(?:providers|pictures)\/)?[\w-]+\.(md|json|svg|png)$/;
const TYPES: Record<string, string> = {
  md: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
};

/**
 * `/docs/…`: the documentation as Markdown; browsers are led to the same page of the dashboard. `/llms.txt` and
 * `/llms-full.txt`: the same for language models (llmstxt.org). `docsFolder` is what set-up wrote.
 */
export function docsPages({
  docsFolder,
  dashboardUrl,
}: {
  docsFolder: string;
  dashboardUrl: () => string;
}): RequestHandler {
  const read = (file: string): Promise<Buffer> => readFile(join(docsFolder, file));
  const list = async (): Promise<DocsEntry[]> => JSON.parse((await read('pages.json')).toString()) as DocsEntry[];
  const router = express.Router({ strict: true });
  router.get('/docs', (request, response) =>
    wantsPage(request, response) ? response.redirect(302, '/app/docs') : response.redirect(308, '/docs/'),
  );
  router.get('/docs/', async (request, response) => {
    if (wantsPage(request, response)) response.redirect(302, '/app/docs');
    else send(response, 'md', indexOf(await list()));
  });
  router.get('/docs/*path', async (request, response, next) => {
    const path = (request.params['path'] as unknown as string[]).join('/');
    if (/^(?:providers\/)?[\w-]+$/.test(path) && wantsPage(request, response)) {
      response.redirect(302, `/app/docs/${path}`);
      return;
    }
    const file = FILE.test(path) ? path : `${path}.md`;
    const [, type = ''] = FILE.exec(file) ?? [];
    const content = type === '' ? undefined : await read(file).catch(undefinedIfMissing);
    if (content === undefined) next();
    else send(response, type, content);
  });
  router.get('/llms.txt', async (_request, response) => send(response, 'md', modelIndex(await list(), dashboardUrl())));
  router.get('/llms-full.txt', async (_request, response) => {
    const pages = await list();
    const texts = await Promise.all(inNavigation(pages).map(({ name }) => read(`${name}.md`)));
    send(response, 'md', [modelIndex(pages, dashboardUrl()), ...texts.map(String)].join('\n\n---\n\n'));
  });
  return router;
}

/** Whether a browser asks, as opposed to a program; caches keep the two apart. */
function wantsPage(request: Request, response: Response): boolean {
  response.vary('Accept');
  return request.headers.accept?.includes('text/html') === true;
}

function undefinedIfMissing(error: unknown): undefined {
  if (!hasErrorCode(error, 'ENOENT')) throw error;
  return undefined;
}

const inNavigation = (pages: readonly DocsEntry[]): DocsEntry[] => pages.filter(({ section }) => section !== null);

/** The pages by section, with links that begin with `base`. */
function sectionsOf(pages: readonly DocsEntry[], base: string): string[] {
  const sections = Map.groupBy(inNavigation(pages), ({ section }) => section);
  return [...sections].flatMap(([section, entries]) => [
    `## ${section}`,
    '',
    ...entries.map(({ about, name, title }) => `- [${title}](${base}${name}.md): ${about}`),
    '',
  ]);
}

const indexOf = (pages: readonly DocsEntry[]): string => ['# Documentation', '', ...sectionsOf(pages, '')].join('\n');

function modelIndex(pages: readonly DocsEntry[], base: string): string {
  return [
    '# Homeport',
    '',
    `> ${ABOUT}`,
    '',
    'Calls carry the secret key of an environment as a bearer token. Agents sign in at `/agents/mcp`, or get a session from `POST /sessions`.',
    '',
    ...sectionsOf(pages, `${base}/docs/`),
    '## For programs',
    '',
    `- [OpenAPI document](${base}/openapi.json): every route with its errors and an example`,
    `- [MCP for agents](${base}/agents/mcp): Streamable HTTP; a person signs in and chooses accounts`,
    '',
  ].join('\n');
}

function send(response: Response, type: string, content: string | Buffer): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('Content-Type', TYPES[type] ?? '');
  response.send(content);
}
