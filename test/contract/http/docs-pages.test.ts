import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';

let server: InProcessServer;
beforeAll(async () => {
  server = await startInProcess();
});
afterAll(() => server?.stop());

const get = async (path: string) => {
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

describe('the documentation', () => {
  it('is served as Markdown, and each link leads to a page', async () => {
    const list = await get('/docs');
    expect([list.status, list.type]).toEqual([200, 'text/markdown; charset=utf-8']);
    const seen = new Set<string>();
    const open = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const page = await get(path);
      const type = path.endsWith('.svg') ? 'image/svg+xml' : 'text/markdown; charset=utf-8';
      expect([path, page.status, page.type]).toEqual([path, 200, type]);
      if (path.endsWith('.svg')) return;
      for (const [, target = ''] of page.text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g))
        await open(new URL(target, `http://hub${path}`).pathname);
    };
    await open('/docs/');
    expect([...seen]).toEqual(
      expect.arrayContaining(['/docs/first-ten-minutes.md', '/docs/errors.md', '/docs/providers/github.md']),
    );
    expect((await get('/docs/first-ten-minutes')).text).toBe((await get('/docs/first-ten-minutes.md')).text);
    expect((await get('/docs/nothing.md')).status).toBe(404);
    expect((await get('/docs/..%2fREADME.md')).status).toBe(404);
  });

  it.each([
    ['/docs', '/app/docs'],
    ['/docs/', '/app/docs'],
    ['/docs/errors', '/app/docs/errors'],
    ['/docs/providers/github', '/app/docs/providers/github'],
  ])('leads a browser from %s to the dashboard', async (path, target) => {
    const response = await fetch(`${server.url}${path}`, { redirect: 'manual', headers: { accept: 'text/html,*/*' } });

    expect([response.status, response.headers.get('location'), response.headers.get('vary')]).toEqual([
      302,
      target,
      'Accept',
    ]);
  });

  it('has pages to draw, a list of them and an index', async () => {
    const pages = JSON.parse((await get('/docs/pages.json')).text) as Array<{ name: string; section: string | null }>;
    const page = await get('/docs/errors.json');

    expect(pages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['first-ten-minutes', 'api', 'providers/github']),
    );
    expect(page.type).toBe('application/json; charset=utf-8');
    expect(JSON.parse(page.text)).toMatchObject({ title: 'Errors', content: expect.any(Array) });
    expect(JSON.parse((await get('/docs/search.json')).text)).toMatchObject({ documentCount: expect.any(Number) });
  });

  it('is listed for language models, with addresses that answer', async () => {
    const { text, type } = await get('/llms.txt');
    expect([type, text.startsWith('# Homeport\n\n> ')]).toEqual(['text/markdown; charset=utf-8', true]);
    const links = [...text.matchAll(/\]\((http[^)]+)\)/g)].map(([, address = '']) => address);
    expect(links.length).toBeGreaterThan(5);
    for (const address of links.filter((one) => !one.endsWith('/agents/mcp')))
      expect([address, (await fetch(address)).status]).toEqual([address, 200]);
    const full = (await get('/llms-full.txt')).text;
    expect(full).toContain((await get('/docs/settings.md')).text);
  });
});
