import { describe, expect, it } from 'vitest';
import { type FirstPage, followPages, LINK_HEADER, type Page, type PageRequest } from './provider-pages.ts';

async function follow(
  first: Partial<FirstPage>,
  settings: Record<string, unknown>,
  answers: unknown[],
): Promise<PageRequest[]> {
  const sent: PageRequest[] = [];
  await followPages(
    { method: 'GET', path: '/items', body: undefined, ...first },
    settings,
    async (request): Promise<Page> => {
      sent.push(structuredClone(request));
      return { headers: {}, text: JSON.stringify(answers.shift()) };
    },
  );
  return sent;
}

describe('followPages', () => {
  const cursor = {
    type: 'cursor',
    cursor_name_in_request: 'after',
    cursor_path_in_response: 'paging.next',
    response_path: 'data',
  };

  it('follows a cursor until there is none, whatever the list is called', async () => {
    for (const name of ['data', 'results']) {
      const sent = await follow({ path: '/items?since=1' }, cursor, [
        { [name]: [1], paging: { next: 'b' } },
        { [name]: [2], paging: {} },
      ]);
      expect(sent.map(({ path, query }) => [path, query])).toEqual([
        ['/items?since=1', {}],
        ['/items?since=1', { after: 'b' }],
      ]);
    }
  });

  it('counts an offset from where the first request begins, with the limit that it names', async () => {
    const settings = { type: 'offset', offset_name_in_request: 'skip', limit_name_in_request: 'take', limit: 100 };
    const sent = await follow({ path: '/items?skip=4&take=2' }, settings, [[1, 2], [3]]);
    expect(sent.map(({ query }) => query)).toEqual([
      { take: '2', skip: '4' },
      { take: '2', skip: '6' },
    ]);
  });

  it('puts the cursor into a body', async () => {
    const sent = await follow({ method: 'POST', body: { filter: 'x' } }, cursor, [
      { data: [1], paging: { next: 'b' } },
      { data: [] },
    ]);
    expect(sent.map(({ body, query }) => [body, query])).toEqual([
      [{ filter: 'x' }, {}],
      [{ filter: 'x', after: 'b' }, {}],
    ]);
  });

  it('marks an address that an answer names', async () => {
    const settings = { type: 'link', link_path_in_response_body: 'next' };
    const sent = await follow({}, settings, [{ items: [1], next: 'https://other.example/more?x=1' }, { items: [] }]);
    expect(sent[1]).toMatchObject({ path: '/more?x=1', baseUrl: 'https://other.example', followsLink: true });
  });

  it('follows the header Link where the catalogue says nothing', async () => {
    const sent: string[] = [];
    await followPages({ method: 'GET', path: '/items', body: undefined }, LINK_HEADER, async ({ path }) => {
      sent.push(path);
      const link = sent.length < 3 ? { link: `<https://api.example/items?page=${sent.length + 1}>; rel="next"` } : {};
      return { headers: link, text: '[1]' };
    });
    expect(sent).toEqual(['/items', '/items?page=2', '/items?page=3']);
  });

  it('refuses an answer that has no pages', async () => {
    await expect(follow({}, cursor, ['text'])).rejects.toThrow('no JSON list or object');
  });
});
