import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TemplateRunner } from './run-template.ts';

let templates: TemplateRunner;
beforeAll(async () => {
  templates = await TemplateRunner.start();
});
afterAll(() => templates?.stop());

describe('a sync of the templates', () => {
  it.each([
    'github/syncs/fetch-pull-requests.ts',
    'slack/syncs/fetch-messages.ts',
    'notion/syncs/fetch-database-rows.ts',
  ])('%s fails while nobody has chosen what to read, and deletes nothing', async (path) => {
    const { failure, steps } = await templates.run(path, { metadata: {}, answers: [] });

    expect(failure).toMatchObject({ payload: { message: 'Invalid input provided' } });
    expect(steps).toEqual(['connection.get']);
  });

  it('of Slack that is refused in the middle of a list deletes nothing', async () => {
    const first = { ok: true, channels: [], response_metadata: { next_cursor: 'bmV4dA==' } };
    const answers = [{ body: first }, { body: { ok: false, error: 'invalid_cursor' } }];

    const { failure, steps, requests } = await templates.run('slack/syncs/fetch-channels.ts', { answers });

    expect(failure).toMatchObject({ payload: { code: 'invalid_cursor' } });
    expect(requests).toHaveLength(2);
    expect(steps).toEqual(['records.trackDeletesStart']);
  });

  it.each([
    'github/syncs/fetch-repositories.ts',
    'github/syncs/fetch-pull-requests.ts',
    'slack/syncs/fetch-users.ts',
    'slack/syncs/fetch-channels.ts',
    'linear/syncs/fetch-teams.ts',
    'linear/syncs/fetch-users.ts',
    'notion/syncs/fetch-users.ts',
    'notion/syncs/fetch-database-rows.ts',
    'stripe-api-key/syncs/fetch-customers.ts',
    'stripe-api-key/syncs/fetch-subscriptions.ts',
  ])('%s looks for deletions around all that it saves, and repeats its reads', async (path) => {
    const { failure, steps, requests } = await templates.run(path);

    expect(failure).toBeUndefined();
    const own = steps.filter((step) => step !== 'connection.get');
    expect([own[0], own.at(-1)]).toEqual(['records.trackDeletesStart', 'records.trackDeletesEnd']);
    expect(new Set(own.slice(1, -1))).toEqual(new Set(['records.save']));
    expect(new Set(requests.map(({ retries }) => retries))).toEqual(new Set([3]));
  });

  it.each([
    [
      'github/syncs/fetch-issues.ts',
      [{ updatedSince: '2026-02-10T11:30:00Z' }, { updatedSince: '2026-02-10T12:45:10Z' }],
    ],
    ['linear/syncs/fetch-issues.ts', [{ updatedSince: '2026-02-10T12:45:10.112Z' }]],
    ['notion/syncs/fetch-pages.ts', [{ editedSince: '2026-02-10T12:45:00.000Z' }]],
    ['stripe-api-key/syncs/fetch-balance-transactions.ts', [{ createdSince: 1_770_804_000 }]],
  ])('%s remembers how far it came, and no further than what it read', async (path, checkpoints) => {
    const run = await templates.run(path);

    expect(run.failure).toBeUndefined();
    expect(run.checkpoints).toEqual(checkpoints);
    // Newest first: the checkpoint moves once, after the last page; oldest first: with every page.
    expect(run.steps.at(-1)).toBe('checkpoint.save');
  });

  it('of messages goes on a little before the moment it started', async () => {
    const before = Date.now() / 1000;

    const { checkpoints } = await templates.run('slack/syncs/fetch-messages.ts');

    const oldest = Number(checkpoints[0]?.['oldest']);
    expect(checkpoints).toHaveLength(1);
    expect(before - oldest).toBeGreaterThan(200);
    expect(before - oldest).toBeLessThan(310);
  });
});
