import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GuestHttpRequest } from '../../../functions/runtime/bridge.ts';
import { type TemplateResponse, TemplateRunner } from './run-template.ts';

let templates: TemplateRunner;
beforeAll(async () => {
  templates = await TemplateRunner.start();
});
afterAll(() => templates?.stop());

const PATH = 'github/syncs/fetch-issues.ts';
const linkTo = (rel: string, page: number, query = new URLSearchParams()) => {
  query.set('page', String(page));
  return {
    link: `<https://api.github.com/issues?${query}>; rel="${rel}", <https://api.github.com/issues?${query}>; rel="first"`,
  };
};
const NEXT = linkTo('next', 2);
const LAST = linkTo('prev', 1);

const timeOf = (minute: number) => new Date(Date.UTC(2026, 1, 11, 8, minute)).toISOString().replace('.000', '');

function issue(id: number, updatedAt: string) {
  return {
    id,
    number: id,
    title: `Issue ${id}`,
    body: null,
    state: 'open',
    labels: [],
    user: null,
    comments: 0,
    html_url: `https://github.com/octocat/Hello-World/issues/${id}`,
    repository_url: 'https://api.github.com/repos/octocat/Hello-World',
    created_at: '2026-02-01T00:00:00Z',
    updated_at: updatedAt,
    closed_at: null,
  };
}

const manyIssues = (count: number, updatedAt: (id: number) => string = timeOf) =>
  Array.from({ length: count }, (_, index) => issue(index + 1, updatedAt(index + 1)));

/** GitHub's list of issues: sorted by last change, from `since` on, in pages with a link to the next one. */
function listOf(issues: ReturnType<typeof issue>[], beforePage: (request: number) => void = () => {}) {
  let asked = 0;
  return ({ endpoint, params = {} }: GuestHttpRequest): TemplateResponse => {
    asked += 1;
    beforePage(asked);
    const query = new URLSearchParams([
      ...new URL(endpoint, 'https://api.github.com').searchParams,
      ...new URLSearchParams(params),
    ]);
    const since = query.get('since') ?? '';
    const page = Number(query.get('page') ?? 1);
    const size = Number(query.get('per_page'));
    const found = issues
      .filter(({ updated_at }) => updated_at >= since)
      .sort((a, b) => a.updated_at.localeCompare(b.updated_at) || a.id - b.id);
    const hasMore = found.length > page * size;
    return {
      body: found.slice((page - 1) * size, page * size),
      headers: hasMore ? linkTo('next', page + 1, query) : linkTo('prev', page - 1, query),
    };
  };
}

const idsOf = (saved: unknown[]) =>
  [...new Set(saved.map((record) => Number((record as { id: string }).id)))].sort((a, b) => a - b);

describe(`pages of ${PATH}`, () => {
  it('ends after a full page that GitHub calls the last', async () => {
    const { failure, requests, saved, checkpoints } = await templates.run(PATH, { responses: listOf(manyIssues(100)) });

    expect(failure).toBeUndefined();
    expect([requests.length, saved.length]).toEqual([1, 100]);
    expect(checkpoints).toEqual([{ updatedSince: timeOf(100) }]);
  });

  it('ends at an empty page, which keeps the checkpoint', async () => {
    const responses = [
      { body: manyIssues(100), headers: NEXT },
      { body: [], headers: LAST },
    ];

    const { failure, requests, saved, checkpoints } = await templates.run(PATH, { responses });

    expect(failure).toBeUndefined();
    expect([requests.length, saved.length]).toEqual([2, 100]);
    expect(checkpoints).toEqual([{ updatedSince: timeOf(100) }]);
  });

  it('reads on after a short page that GitHub does not call the last', async () => {
    const [first, second] = manyIssues(2);
    const responses = [{ body: [first], headers: NEXT }, { body: [second] }];

    const { requests, saved } = await templates.run(PATH, { responses });

    expect([requests.length, idsOf(saved)]).toEqual([2, [1, 2]]);
  });

  it('misses no issue when one of a page that it read changes before the next page', async () => {
    const issues = manyIssues(250);
    const responses = listOf(issues, (request) => {
      if (request === 2) issues[4] = issue(5, timeOf(1000));
    });

    const { failure, saved, checkpoints } = await templates.run(PATH, { responses });

    expect(failure).toBeUndefined();
    expect(idsOf(saved)).toHaveLength(250);
    expect(checkpoints.at(-1)).toEqual({ updatedSince: timeOf(1000) });
  });

  it('reads all of more issues than fit a page that changed at one time', async () => {
    const responses = listOf(manyIssues(350, (id) => timeOf(id < 40 ? 1 : id < 340 ? 2 : 3)));

    const { failure, saved, requests } = await templates.run(PATH, { responses });

    expect(failure).toBeUndefined();
    expect(idsOf(saved)).toHaveLength(350);
    expect(requests.length).toBeLessThan(8);
  });
});
