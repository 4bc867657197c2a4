import get from 'lodash-es/get.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readResponses, TemplateRunner } from './run-template.ts';

let templates: TemplateRunner;
beforeAll(async () => {
  templates = await TemplateRunner.start();
});
afterAll(() => templates?.stop());

describe('the messages of Slack', () => {
  const PATH = 'slack/syncs/fetch-messages.ts';
  const metadata = { channels: ['C012AB3CD'] };
  const said = { type: 'message', channel: 'C012AB3CD', user: 'W012A3CDE', text: 'Hello', ts: '1770803300.000100' };
  const deliver = (event: object) =>
    templates.run(PATH, { metadata, responses: [], webhook: { type: 'event_callback', team_id: 'T012AB3C4', event } });

  it('are saved under the id that a run gives them', async () => {
    const { saved, failure } = await deliver({ ...said, event_ts: said.ts, channel_type: 'channel' });

    expect(failure).toBeUndefined();
    expect(saved).toEqual([
      {
        id: 'C012AB3CD:1770803300.000100',
        channel_id: 'C012AB3CD',
        ts: '1770803300.000100',
        thread_ts: null,
        subtype: null,
        user_id: 'W012A3CDE',
        bot_id: null,
        text: 'Hello',
        replies: 0,
        is_edited: false,
        sent_at: '2026-02-11T09:48:20.000Z',
      },
    ]);
  });

  it('follow an edit', async () => {
    const message = { ...said, text: 'Hello there', edited: { user: 'W012A3CDE', ts: '1770803400.000000' } };

    const { saved } = await deliver({
      type: 'message',
      subtype: 'message_changed',
      channel: 'C012AB3CD',
      ts: '1770803400.000200',
      message,
      previous_message: said,
    });

    expect(saved).toEqual([
      expect.objectContaining({ id: 'C012AB3CD:1770803300.000100', text: 'Hello there', is_edited: true }),
    ]);
  });

  it('follow a deletion', async () => {
    const { saved, deleted } = await deliver({
      type: 'message',
      subtype: 'message_deleted',
      channel: 'C012AB3CD',
      ts: '1770803500.000300',
      deleted_ts: said.ts,
      previous_message: said,
    });

    expect([saved, deleted]).toEqual([[], ['C012AB3CD:1770803300.000100']]);
  });

  it.each([
    ['of another channel', { ...said, channel: 'C0OTHER' }],
    ['that are no messages', { ...said, type: 'reaction_added' }],
  ])('leave out events %s', async (_what, event) => {
    const { saved, deleted, failure } = await deliver(event);

    expect([saved, deleted, failure]).toEqual([[], [], undefined]);
  });
});

describe('the issues of Linear', () => {
  const PATH = 'linear/syncs/fetch-issues.ts';
  const id = '9f2c1a2d-5b7e-4d0a-8c41-2a6f0b9d3e2d';
  const issue = {
    id,
    identifier: 'ENG-45',
    title: 'Import fails on empty input',
    description: null,
    priority: 1,
    estimate: null,
    dueDate: null,
    url: 'https://linear.app/acme/issue/ENG-45',
    createdAt: '2026-02-02T09:15:00.000Z',
    updatedAt: '2026-02-10T12:45:10.112Z',
    completedAt: null,
    archivedAt: null,
    trashed: null,
    state: { name: 'Todo', type: 'unstarted' },
    labels: { nodes: [{ name: 'Bug' }] },
    team: { id: 'team' },
    project: null,
    parent: null,
    assignee: null,
    creator: null,
  };
  const deliver = (action: string, responses: Array<{ body: unknown }>) =>
    templates.run(PATH, {
      responses,
      webhook: { action, type: 'Issue', data: { id, title: 'As it was sent' } },
    });

  it.each(['create', 'update', 'restore'])('are read again after %s', async (action) => {
    const { saved, requests, failure } = await deliver(action, [{ body: { data: { issue } } }]);

    expect(failure).toBeUndefined();
    expect(saved).toEqual([expect.objectContaining({ id, title: issue.title, labels: ['Bug'], team_id: 'team' })]);
    expect(requests.map(({ body }) => body)).toEqual([expect.objectContaining({ text: expect.stringContaining(id) })]);
  });

  it('are deleted when they are removed, and when they are in the trash', async () => {
    const removed = await deliver('remove', []);
    const trashed = await deliver('update', [{ body: { data: { issue: { ...issue, trashed: true } } } }]);

    expect([removed.saved, removed.deleted]).toEqual([[], [id]]);
    expect([trashed.saved, trashed.deleted]).toEqual([[], [id]]);
  });
});

describe('the pages of Notion', () => {
  const PATH = 'notion/syncs/fetch-pages.ts';
  const id = 'b55c9c91-384d-452b-81db-d1ef79372b14';
  const page = {
    id,
    url: 'https://www.notion.so/Meeting-notes',
    parent: { type: 'workspace', workspace: true },
    archived: false,
    properties: { Name: { type: 'title', title: [{ plain_text: 'Meeting ' }, { plain_text: 'notes' }] } },
    created_time: '2026-02-02T09:15:00.000Z',
    created_by: { id: 'u1' },
    last_edited_time: '2026-02-10T12:45:00.000Z',
    last_edited_by: { id: 'u2' },
  };
  const deliver = (type: string, responses: Array<{ status?: number; body: unknown }>) =>
    templates.run(PATH, { responses, webhook: { type, workspace_id: 'w1', entity: { id, type: 'page' } } });

  it('are read again when their content changed', async () => {
    const { saved, requests } = await deliver('page.content_updated', [{ body: page }]);

    expect(requests.map(({ method, endpoint }) => `${method} ${endpoint}`)).toEqual([`GET /v1/pages/${id}`]);
    expect(saved).toEqual([expect.objectContaining({ id, title: 'Meeting notes', parent_id: null, edited_by: 'u2' })]);
  });

  it.each([
    ['page.deleted', []],
    ['page.moved', [{ body: { ...page, archived: true } }]],
    ['page.properties_updated', [{ status: 404, body: { object: 'error', code: 'object_not_found' } }]],
  ])('are deleted when they are out of reach: %s', async (type, responses) => {
    const { saved, deleted, failure } = await deliver(type, responses);

    expect([saved, deleted, failure]).toEqual([[], [id], undefined]);
  });

  it('stay when Notion does not answer', async () => {
    const { deleted, failure } = await deliver('page.content_updated', [{ status: 502, body: '' }]);

    expect([deleted, failure]).toEqual([[], expect.objectContaining({ code: 'script_http_error' })]);
  });
});

describe('a webhook of', () => {
  const jiraIssue = '/ex/jira/11223344-a1b2-3b33-c444-def123456789/rest/api/3/issue/10042';
  const jira = (webhookEvent: string) => ({ webhookEvent, issue: { id: '10042', key: 'SHOP-42' } });
  const gitlab = (path: string) => ({
    object_kind: 'issue',
    object_attributes: { id: 150000042, iid: 42, project_id: 61000001, action: 'update' },
    project: { id: 61000001, path_with_namespace: path },
  });
  const asana = (action: string) => ({
    events: [
      { action, resource: { gid: '1209000000000101', resource_type: 'task' } },
      { action: 'added', resource: { gid: '1209000000000301', resource_type: 'story' } },
      { action, resource: { gid: '1209000000000101', resource_type: 'task' } },
    ],
  });
  const zoom = (event: string) => ({ event, payload: { account_id: 'a', object: { id: '81000000011' } } });
  const intercom = (topic: string, id: string) => ({ topic, data: { item: { id } } });

  it.each([
    ['jira/syncs/fetch-issues.ts', jira('jira:issue_updated'), [`GET ${jiraIssue}`], ['10042']],
    ['jira/syncs/fetch-issues.ts', jira('jira:issue_deleted'), [], ['10042']],
    ['gitlab/syncs/fetch-issues.ts', gitlab('acme/shop'), ['GET /api/v4/projects/61000001/issues/42'], ['150000042']],
    ['gitlab/syncs/fetch-issues.ts', gitlab('acme/other'), [], []],
    ['asana/syncs/fetch-tasks.ts', asana('deleted'), ['GET /api/1.0/tasks/1209000000000101'], ['1209000000000101']],
    ['zoom/syncs/fetch-meetings.ts', zoom('meeting.updated'), ['GET /meetings/81000000011'], ['81000000011']],
    ['zoom/syncs/fetch-meetings.ts', zoom('meeting.deleted'), ['GET /meetings/81000000011'], ['81000000011']],
    ['intercom/syncs/fetch-contacts.ts', intercom('contact.user.updated', '67'), ['GET /contacts/67'], ['67']],
    ['intercom/syncs/fetch-contacts.ts', intercom('contact.archived', '67'), [], ['67']],
    ['intercom/syncs/fetch-conversations.ts', intercom('conversation.deleted', '471'), [], ['471']],
  ])('%s deletes what its provider does not have any more, and asks when it does not say so', async (...row) => {
    const [path, webhook, requests, deleted] = row;
    const gone = { status: 404, body: {} };

    const run = await templates.run(path, { webhook, responses: requests.map(() => gone) });

    expect(run.failure).toBeUndefined();
    expect(run.requests.map(({ method, endpoint }) => `${method} ${endpoint}`)).toEqual(requests);
    expect([run.saved, run.deleted]).toEqual([[], deleted]);
  });

  it.each([
    ['jira/syncs/fetch-issues.ts', jira('jira:issue_created'), 'issues'],
    ['gitlab/syncs/fetch-issues.ts', gitlab('acme/shop'), undefined],
    ['zoom/syncs/fetch-meetings.ts', zoom('meeting.created'), 'meetings'],
    // Of one date of a series.
    ['zoom/syncs/fetch-meetings.ts', zoom('meeting.deleted'), 'meetings'],
    ['intercom/syncs/fetch-contacts.ts', intercom('contact.lead.created', '67'), 'data'],
    ['intercom/syncs/fetch-conversations.ts', intercom('conversation.user.created', '471'), 'conversations'],
  ])('%s saves the same record as a run', async (path, webhook, list) => {
    const [body] = await readList(path, list);
    const run = await templates.run(path);

    const { saved, deleted, failure } = await templates.run(path, { webhook, responses: [{ body }] });

    expect([failure, deleted]).toEqual([undefined, []]);
    expect(saved).toEqual([run.saved[0]]);
  });

  it('Shopify saves the same record as a run', async () => {
    const path = 'shopify/syncs/fetch-orders.ts';
    const [order] = await readList(path, 'data.orders.nodes');
    const run = await templates.run(path);

    const responses = [{ body: { data: { order } } }];
    const { saved, deleted } = await templates.run(path, { webhook: { id: 5500000001001 }, responses });

    expect([saved, deleted]).toEqual([[run.saved[0]], []]);
  });

  it('Shopify deletes the order that it cannot find', async () => {
    const responses = [{ body: { data: { order: null } } }];

    const run = await templates.run('shopify/syncs/fetch-orders.ts', { webhook: { id: 820 }, responses });

    expect([run.saved, run.deleted, run.failure]).toEqual([[], ['820'], undefined]);
  });

  it('Asana saves a task of the project, once', async () => {
    const path = 'asana/syncs/fetch-tasks.ts';
    const body = (await readResponses(path)).find((response) => get(response, 'data.gid') === '1209000000000101');

    const { saved, requests } = await templates.run(path, { webhook: asana('changed'), responses: [{ body }] });

    expect(requests).toHaveLength(1);
    expect(saved).toEqual([expect.objectContaining({ id: '1209000000000101', name: 'Take the pictures' })]);
  });
});

/** The list in the first recorded answer with a member `list`, or that is a list itself. */
async function readList(path: string, list: string | undefined): Promise<unknown[]> {
  const lists = (await readResponses(path)).map((response) => (list === undefined ? response : get(response, list)));
  return lists.find((one) => Array.isArray(one)) ?? [];
}
