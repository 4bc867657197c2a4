import { readFile } from 'node:fs/promises';
import express, { type RequestHandler, type Response } from 'express';

interface DocsPage {
  /** `index` is the list of all pages. */
  name: string;
  title: string;
  about: string;
  /** Markdown. */
  text: string;
}

const ABOUT =
  'A desktop, self-hosted integration hub: it holds the accounts of a person on their own computer, renews their ' +
  'credentials, and lets apps and agents call providers, run functions and read synced records over a local API.';

/**
 * `/docs/…`: the documentation as Markdown. `/llms.txt` and `/llms-full.txt`: the same for language models
 * (llmstxt.org).
 */
export function docsPages({
  docsFile,
  dashboardUrl,
}: {
  docsFile: string;
  dashboardUrl: () => string;
}): RequestHandler {
  let known: Promise<DocsPage[]> | undefined;
  const pages = (): Promise<DocsPage[]> => {
    known ??= readFile(docsFile, 'utf8').then((text) => JSON.parse(text) as DocsPage[]);
    return known;
  };
  const router = express.Router({ strict: true });
  router.get('/docs', (_request, response) => response.redirect(308, '/docs/'));
  router.get('/docs/', async (_request, response) => send(response, (await pages())[0]?.text ?? ''));
  router.get('/docs/:name', async ({ params }, response, next) => {
    const name = String(params['name']).replace(/\.md$/, '');
    const page = (await pages()).find((one) => one.name === name);
    if (page) send(response, page.text);
    else next();
  });
  router.get('/llms.txt', async (_request, response) => send(response, listOf(await pages(), dashboardUrl())));
  router.get('/llms-full.txt', async (_request, response) => {
    const all = await pages();
    send(response, [listOf(all, dashboardUrl()), ...all.slice(1).map(({ text }) => text)].join('\n\n---\n\n'));
  });
  return router;
}

function listOf(pages: readonly DocsPage[], base: string): string {
  const lines = pages.map(({ about, name, title }) => `- [${title}](${base}/docs/${name}.md): ${about}`);
  return [
    '# Homeport',
    '',
    `> ${ABOUT}`,
    '',
    'Calls carry the secret key of an environment as a bearer token. Agents sign in at `/agents/mcp`, or get a session from `POST /sessions`.',
    '',
    '## Documentation',
    '',
    ...lines,
    '',
    '## API',
    '',
    `- [OpenAPI document](${base}/openapi.json): every route with its errors and an example`,
    `- [MCP for agents](${base}/agents/mcp): Streamable HTTP; a person signs in and chooses accounts`,
    '',
  ].join('\n');
}

function send(response: Response, text: string): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-cache');
  response.type('text/markdown; charset=utf-8').send(text);
}
