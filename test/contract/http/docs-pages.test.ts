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
      expect([path, page.status, page.type]).toEqual([path, 200, 'text/markdown; charset=utf-8']);
      for (const [, target = ''] of page.text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g))
        await open(new URL(target, `http://hub${path}`).pathname);
    };
    await open('/docs/');
    expect([...seen]).toContain('/docs/first-hour.md');
    expect((await get('/docs/first-hour')).text).toBe((await get('/docs/first-hour.md')).text);
    expect((await get('/docs/nothing.md')).status).toBe(404);
    expect((await get('/docs/..%2fREADME.md')).status).toBe(404);
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
