import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';

let server: InProcessServer;
let page: DashboardClient;
let api: ApiCaller;
beforeAll(async () => {
  server = await startInProcess({ hasExamples: false });
  page = await DashboardClient.signIn({ url: server.url, signIn: server });
  api = new ApiCaller(server);
});
afterAll(() => server?.stop());

const names = async (): Promise<string[]> =>
  (await page.call('GET /api/v1/saved-queries')).data.map(({ name }) => name);

it('the views of the page are those of the hub, and no record with such an id', async () => {
  const { data } = await page.call('GET /api/v1/record-views');
  expect(data.map(({ schema }) => schema)).toContain('homeport');
});

describe('saved queries', () => {
  it('are saved, renamed, changed and deleted in the dashboard', async () => {
    const made = await page.call('POST /api/v1/saved-queries', {
      body: { name: ' Open ', sql: 'SELECT $n AS n', params: { n: 5 } },
    });
    expect(made).toMatchObject({ name: 'Open', sql: 'SELECT $n AS n', params: { n: 5 } });
    const params = { queryId: made.id };
    await expect(
      page.call('POST /api/v1/saved-queries', { body: { name: 'OPEN', sql: 'SELECT 1', params: [] } }),
    ).rejects.toThrow(/409.*already/s);
    await page.call('POST /api/v1/saved-queries', { body: { name: 'Other', sql: 'SELECT 2', params: [] } });
    await expect(
      page.call('PATCH /api/v1/saved-queries/:queryId', { params, body: { name: 'other' } }),
    ).rejects.toThrow(/409/);
    expect(
      await page.call('PATCH /api/v1/saved-queries/:queryId', { params, body: { name: 'open', sql: 'SELECT 3' } }),
    ).toMatchObject({ name: 'open', sql: 'SELECT 3', params: { n: 5 } });
    expect(await names()).toEqual(['open', 'Other']);
    await page.call('DELETE /api/v1/saved-queries/:queryId', { params });
    expect(await names()).toEqual(['Other']);
    await expect(page.call('DELETE /api/v1/saved-queries/:queryId', { params })).rejects.toThrow(/404/);
  });

  it('are read and put over the public API', async () => {
    const put = await api.send('PUT /records/queries/By%20state', { body: { sql: 'SELECT 1 AS one' } });
    expect(put).toMatchObject({ status: 200, body: { data: { name: 'By state', params: [] } } });
    const again = await api.send('PUT /records/queries/by%20state', { body: { sql: 'SELECT 2 AS two' } });
    expect(again.body).toMatchObject({
      data: { id: (put.body as { data: { id: string } }).data.id, sql: 'SELECT 2 AS two' },
    });
    const { body } = await api.send('GET /records/queries');
    expect((body as { data: Array<{ name: string }> }).data.map(({ name }) => name)).toEqual(['by state', 'Other']);
    expect((await api.send('PUT /records/queries/x', { body: { sql: '' } })).status).toBe(400);
  });

  it('run from the command line, with other values too', async () => {
    const cli = (...args: string[]) => runCli(['sql', ...args], { cwd: server.home, home: server.home });
    const saved = await cli('SELECT $n + 1 AS next', '--param', 'n=1', '--save', 'Next', '--format', 'csv');
    expect(saved.output).toContain('next\r\n2');
    expect((await cli('--list')).output).toMatch(/Next +SELECT \$n \+ 1 AS next/);
    expect((await cli('--saved', 'next', '--format', 'csv')).output).toContain('next\r\n2');
    expect((await cli('--saved', 'next', '--param', 'n=41', '--format', 'csv')).output).toContain('next\r\n42');
    const unknown = await cli('--saved', 'nothing');
    expect(unknown.status).not.toBe(0);
    expect(unknown.output + unknown.errors).toContain('"Next"');
  });
});
