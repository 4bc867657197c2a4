import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { createPracticeProvider, type PracticeProvider } from './practice-provider.ts';

const clock = new FakeClock('2026-06-01T12:01:00Z');
let provider: PracticeProvider;
let address: string;

beforeEach(async () => {
  provider = createPracticeProvider({ clock });
  ({ address } = await provider.start());
});
afterEach(() => provider.stop());

interface CallOptions extends RequestInit {
  key?: string;
}

function call(path: string, { key = 'practice-demo-key', headers, ...init }: CallOptions = {}): Promise<Response> {
  return fetch(address + path, {
    ...init,
    headers: { authorization: `Bearer ${key}`, ...(headers as Record<string, string>) },
  });
}

function sendJson(path: string, method: string, body: unknown): Promise<Response> {
  return call(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
}

interface JsonResponse {
  issues: Array<{ id: string; updated_at: string }>;
  next_cursor: string | null;
  users: unknown[];
  labels: unknown[];
  records: unknown[];
}

async function json(path: string): Promise<JsonResponse> {
  const response = await call(path);
  expect(response.status).toBe(200);
  return (await response.json()) as JsonResponse;
}

describe('keys', () => {
  it('accepts any practice key and refuses others with a JSON error', async () => {
    expect((await call('/v1/me', { key: 'practice-mine' })).status).toBe(200);
    const refused = await call('/v1/me', { key: 'sk-live' });
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { code: 'invalid_key' } });
  });
});

describe('paging', () => {
  it('walks all issues by cursor, each once', async () => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: JsonResponse = await json(`/v1/issues?limit=60&cursor=${cursor}`);
      ids.push(...page.issues.map((issue) => issue.id));
      cursor = page.next_cursor;
    }
    expect(new Set(ids).size).toBe(250);
    expect(ids).toHaveLength(250);
  });

  it('returns only changes since a time', async () => {
    const since = new Date(clock.now() - 600_000).toISOString();
    const { issues } = await json(`/v1/issues?limit=100&updated_since=${since}`);
    expect(issues.length).toBeGreaterThan(5);
    expect(issues.length).toBeLessThan(100);
    expect(issues.every((issue) => issue.updated_at >= since)).toBe(true);
  });

  it('walks comments by Link header', async () => {
    let count = 0;
    let next: string | undefined = '/v1/comments?per_page=100';
    while (next) {
      const response: Response = await call(next);
      count += ((await response.json()) as unknown[]).length;
      next = /<([^>]+)>; rel="?next/.exec(response.headers.get('link') ?? '')?.[1]?.replace(address, '');
    }
    expect(count).toBeGreaterThan(250);
  });

  it('pages users by offset and labels by page', async () => {
    expect((await json('/v1/users?offset=30&limit=25')).users).toHaveLength(10);
    expect((await json('/v1/users?offset=40')).users).toEqual([]);
    expect((await json('/v1/labels?page=3')).labels).toHaveLength(2);
  });

  it('names a parameter that does not fit', async () => {
    for (const path of [
      '/v1/issues?limit=0',
      '/v1/issues?cursor=zzz',
      '/v1/issues?updated_since=soon',
      '/v1/issues?state=x',
      '/v1/users?offset=-1',
    ]) {
      expect((await call(path)).status, path).toBe(422);
    }
  });
});

describe('writing issues', () => {
  it('creates, reads, changes and deletes', async () => {
    const created = (await (await sendJson('/v1/issues', 'POST', { title: 'New', labels: ['bug'] })).json()) as {
      id: string;
    };
    expect(await json(`/v1/issues/${created.id}`)).toMatchObject({ title: 'New', labels: ['bug'], state: 'open' });
    expect(await (await sendJson(`/v1/issues/${created.id}`, 'PATCH', { state: 'closed' })).json()).toMatchObject({
      title: 'New',
      state: 'closed',
    });
    expect((await call(`/v1/issues/${created.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await call(`/v1/issues/${created.id}`)).status).toBe(404);
  });

  it('answers 422 naming every field that does not fit', async () => {
    const response = await sendJson('/v1/issues', 'POST', { title: '', state: 'gone' });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      error: { code: 'validation_failed', fields: [{ field: 'title' }, { field: 'state' }] },
    });
  });

  it('answers 400 to a body that is not JSON', async () => {
    const response = await call('/v1/issues', {
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(400);
  });
});

describe('faults', () => {
  it('fails as often as asked, per key and path, then succeeds', async () => {
    const headers = { 'x-practice-fail': '503,2' };
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await call('/v1/me', { headers })).status);
    expect(statuses).toEqual([503, 503, 200, 503]);
    expect((await call('/v1/me', { headers, key: 'practice-other' })).status).toBe(503);
  });

  it('sends Retry-After with 429, from the query too', async () => {
    const response = await call('/v1/users?practice_fail=429&practice_retry_after=7');
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
  });

  it('breaks the connection', async () => {
    await expect(call('/v1/me', { headers: { 'x-practice-fail': 'drop' } })).rejects.toThrow('fetch failed');
  });

  it('refuses a fault it does not know', async () => {
    expect((await call('/v1/me', { headers: { 'x-practice-fail': 'sometimes' } })).status).toBe(400);
  });

  it('answers late when asked to', async () => {
    const response = call('/v1/me', { headers: { 'x-practice-delay-ms': '500' } });
    await waitFor(() => clock.pendingTimers === 1);
    await clock.advance(500);
    expect((await response).status).toBe(200);
  });
});

describe('probes', () => {
  it('echoes method, path, query, headers and body', async () => {
    const response = await call('/v1/echo/deep?a=1&b=2', {
      method: 'PUT',
      body: '{"x":1}',
      headers: { 'content-type': 'application/json', 'x-own': 'y' },
    });
    expect(await response.json()).toMatchObject({
      method: 'PUT',
      path: '/v1/echo/deep',
      query: { a: '1', b: '2' },
      headers: { 'x-own': 'y' },
      body: { x: 1 },
    });
    const bytes = await call('/v1/echo', {
      method: 'POST',
      body: Uint8Array.of(0xff, 0),
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(await bytes.json()).toMatchObject({ body: { base64: '/wA=' } });
  });

  it('redirects', async () => {
    const response = await call('/v1/redirect?to=/v1/me&status=307', { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([307, '/v1/me']);
  });

  it('answers 404 as JSON', async () => {
    expect(await (await call('/v1/nothing')).json()).toMatchObject({ error: { code: 'not_found' } });
  });
});

describe('bulk', () => {
  it('streams an export as lines or as one array', async () => {
    const lines = (await (await call('/v1/export?records=1200&bytes=10')).text()).trimEnd().split('\n');
    expect(lines).toHaveLength(1200);
    expect(JSON.parse(lines[1199] ?? '')).toEqual({ id: 'export-1199', index: 1199, text: 'xxxxxxxxxx' });
    expect(await json('/v1/export?records=3&format=json')).toHaveLength(3);
  });

  it('pages the same export', async () => {
    const page = await json('/v1/export/page?records=250&limit=100&cursor=200');
    expect(page).toMatchObject({ next_cursor: null });
    expect(page.records).toHaveLength(50);
  });

  it('sends a file and accepts an upload', async () => {
    const file = await call('/v1/files/report.bin?bytes=5000');
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(file.headers.get('content-disposition')).toContain('report.bin');
    const form = new FormData();
    form.set('note', 'hello');
    form.set('file', new Blob([bytes]), 'report.bin');

    const upload = await call('/v1/files', { method: 'POST', body: form });

    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await upload.json()).toMatchObject({
      fields: { note: 'hello' },
      files: [{ field: 'file', name: 'report.bin', size: 5000, sha256 }],
    });
    expect((await sendJson('/v1/files', 'POST', {})).status).toBe(422);
  });
});

describe('strangers', () => {
  it('are refused before their body is read', async () => {
    const body = JSON.stringify({ title: 'x'.repeat(200_000) });
    const headers = { 'content-type': 'application/json' };

    expect((await call('/v1/issues', { key: 'sk-live', method: 'POST', body, headers })).status).toBe(401);
    expect((await call('/v1/issues', { key: 'sk-live', method: 'POST', body: '{', headers })).status).toBe(401);
    expect((await call('/v1/issues', { method: 'POST', body: '{', headers })).status).toBe(400);
  });

  it('may send a small signed form only', async () => {
    const headers = { authorization: 'OAuth oauth_token="x"', 'content-type': 'application/x-www-form-urlencoded' };

    expect((await call('/v1/issues', { method: 'POST', body: `a=${'x'.repeat(200_000)}`, headers })).status).toBe(413);
    expect((await call('/v1/issues', { method: 'POST', body: 'a=x', headers })).status).toBe(401);
  });

  it.each(['/', '/v1/me', '/docs', '/nowhere'])('are not served %s by another name', async (path) => {
    const { hostname, port } = new URL(address);
    const headers = { host: 'evil.test', authorization: 'Bearer practice-key' };
    const status = await new Promise((resolve, reject) => {
      request({ hostname, port, path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });

    expect(status).toBe(421);
  });
});
