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
    'gitlab/syncs/fetch-issues.ts',
    'asana/syncs/fetch-tasks.ts',
  ])('%s fails while nobody has chosen what to read, and deletes nothing', async (path) => {
    const { failure, steps } = await templates.run(path, { metadata: {}, responses: [] });

    expect(failure).toMatchObject({ payload: { message: 'Invalid input provided' } });
    expect(steps).toEqual(['connection.get']);
  });

  it('of Slack that is refused in the middle of a list deletes nothing', async () => {
    const first = { ok: true, channels: [], response_metadata: { next_cursor: 'bmV4dA==' } };
    const responses = [{ body: first }, { body: { ok: false, error: 'invalid_cursor' } }];

    const { failure, steps, requests } = await templates.run('slack/syncs/fetch-channels.ts', { responses });

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
    'jira/syncs/fetch-projects.ts',
    'gitlab/syncs/fetch-projects.ts',
    'asana/syncs/fetch-projects.ts',
    'google-drive/syncs/fetch-drives.ts',
    'outlook/syncs/fetch-folders.ts',
    'shopify/syncs/fetch-products.ts',
    'zoom/syncs/fetch-meetings.ts',
    'zoom/syncs/fetch-users.ts',
    'clickup/syncs/fetch-lists.ts',
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
    [
      'jira/syncs/fetch-issues.ts',
      [{ updatedSince: '2026-02-10T11:40:00.000Z' }, { updatedSince: '2026-02-10T12:45:10.112Z' }],
    ],
    ['asana/syncs/fetch-tasks.ts', [{ projectId: '1209000000000011', sync: 'de4774f6915eae04714ca93bb2f5ee81:2' }]],
    ['google-drive/syncs/fetch-files.ts', [{ drive: 'own', pageToken: '1213' }]],
    [
      'outlook/syncs/fetch-messages.ts',
      [{ folderId: 'inbox', changes: '/v1.0/me/mailFolders/inbox/messages/delta?$deltatoken=GwcBoTmPuoTQWfcs' }],
    ],
    [
      'salesforce/syncs/fetch-contacts.ts',
      [{ changedSince: '2026-02-10T11:45:12.000Z' }, { changedSince: '2026-02-10T12:45:10.000Z' }],
    ],
    ['salesforce/syncs/fetch-opportunities.ts', [{ changedSince: '2026-02-10T12:45:10.000Z' }]],
    [
      'shopify/syncs/fetch-orders.ts',
      [{ updatedSince: '2026-02-10T11:30:00Z' }, { updatedSince: '2026-02-10T12:45:10Z' }],
    ],
    ['intercom/syncs/fetch-contacts.ts', [{ updatedSince: 1_770_727_510 }]],
    ['intercom/syncs/fetch-conversations.ts', [{ updatedSince: 1_770_730_000 }]],
  ])('%s remembers how far it came, and no further than what it read', async (path, checkpoints) => {
    const run = await templates.run(path);

    expect(run.failure).toBeUndefined();
    expect(run.checkpoints).toEqual(checkpoints);
    // Newest first: the checkpoint moves once, after the last page; oldest first: with every page.
    expect(run.steps.at(-1)).toBe('checkpoint.save');
  });

  it.each([
    [
      'asana/syncs/fetch-tasks.ts',
      [
        { status: 412, body: { errors: [{ message: 'Sync token invalid or too old.' }], sync: 'new:0' } },
        { body: { data: [], next_page: null } },
      ],
      { projectId: '1209000000000011', sync: 'new:0' },
    ],
    [
      'google-drive/syncs/fetch-files.ts',
      [
        { status: 400, body: { error: { message: 'Invalid Value', errors: [{ reason: 'invalid' }] } } },
        { body: { startPageToken: '2000' } },
        { body: { files: [], nextPageToken: 'more' } },
        { body: { files: [] } },
      ],
      { drive: 'own', pageToken: '2000' },
    ],
    [
      'outlook/syncs/fetch-messages.ts',
      [
        { status: 410, body: { error: { code: 'syncStateNotFound', message: 'The sync state is not found.' } } },
        { body: { value: [], '@odata.deltaLink': 'https://graph.microsoft.com/v1.0/me/new?$deltatoken=2' } },
      ],
      { folderId: 'inbox', changes: '/v1.0/me/new?$deltatoken=2' },
    ],
  ])(
    '%s reads everything again when its provider has forgotten how far it came',
    async (path, responses, checkpoint) => {
      const { failure, steps, checkpoints } = await templates.run(path, { responses });

      expect(failure).toBeUndefined();
      const order = steps.filter((step) => step.startsWith('records.track') || step === 'checkpoint.save');
      expect(order).toEqual(['records.trackDeletesStart', 'records.trackDeletesEnd', 'checkpoint.save']);
      expect(checkpoints).toEqual([checkpoint]);
    },
  );

  it.each([
    ['gitlab/syncs/fetch-issues.ts', 'updatedSince'],
    ['clickup/syncs/fetch-tasks.ts', 'updatedSince'],
  ])('%s goes on a little before the moment it started', async (path, name) => {
    const before = Date.now();

    const { checkpoints } = await templates.run(path);

    const overlapMs = before - new Date(checkpoints[0]?.[name] as string | number).getTime();
    expect(checkpoints).toHaveLength(1);
    expect(overlapMs).toBeGreaterThan(200_000);
    expect(overlapMs).toBeLessThan(310_000);
  });

  it('of messages continues a little before the moment it started', async () => {
    const before = Date.now() / 1000;

    const { checkpoints } = await templates.run('slack/syncs/fetch-messages.ts');

    const oldest = Number(checkpoints[0]?.['oldest']);
    expect(checkpoints).toHaveLength(1);
    expect(before - oldest).toBeGreaterThan(200);
    expect(before - oldest).toBeLessThan(310);
  });
});
