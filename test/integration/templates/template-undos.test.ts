import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GuestHttpRequest } from '../../../functions/runtime/bridge.ts';
import { readResponses, TemplateRunner } from './run-template.ts';

let templates: TemplateRunner;
beforeAll(async () => {
  templates = await TemplateRunner.start();
});
afterAll(() => templates?.stop());

type Answer = Record<string, unknown>;
/** From the last response of the recording: what the undo reads when nothing was changed since, and when something was. */
type Reads = { same(recorded: Answer): unknown; changed(recorded: Answer): unknown };

const member = (name: string): Reads => ({
  same: (recorded) => recorded,
  changed: (recorded) => ({ ...recorded, [name]: '2031-01-01T00:00:00.000Z' }),
});
const inside = (name: string, inner: string): Reads => ({
  same: (recorded) => recorded,
  changed: (recorded) => ({ [name]: { ...(recorded[name] as Answer), [inner]: '2031-01-01T00:00:00.000Z' } }),
});
const listed = (name: string): Reads => ({
  same: () => ({ [name]: [] }),
  changed: () => ({ [name]: [{ id: 'new' }] }),
});
const answered = (same: unknown, changed: unknown): Reads => ({ same: () => same, changed: () => changed });
const none = undefined;

/** Template, what its undo reads first, and what it writes. */
const UNDOS: Array<[string, Reads | undefined, RegExp[]]> = [
  ['asana/actions/create-task.ts', inside('data', 'modified_at'), [/^DELETE \/api\/1.0\/tasks\/\d+$/]],
  ['asana/actions/comment-on-task.ts', none, [/^DELETE \/api\/1.0\/stories\/\d+$/]],
  [
    'clickup/actions/create-task.ts',
    { same: (one) => one, changed: (one) => ({ ...one, date_updated: '1' }) },
    [/^DELETE \/api\/v2\/task\/\w+$/],
  ],
  ['clickup/actions/comment-on-task.ts', none, [/^DELETE \/api\/v2\/comment\/\d+$/]],
  ['github/actions/create-issue.ts', member('updated_at'), [/^PATCH \/repos\/.+\/issues\/\d+ .*"state":"closed"/]],
  ['github/actions/comment-on-issue.ts', none, [/^DELETE \/repos\/.+\/issues\/comments\/\d+$/]],
  ['gitlab/actions/create-issue.ts', member('updated_at'), [/^PUT .+\/issues\/\d+ \{"state_event":"close"\}$/]],
  ['gitlab/actions/comment-on-issue.ts', none, [/^DELETE .+\/issues\/\d+\/notes\/\d+$/]],
  ['google-calendar/actions/create-event.ts', member('updated'), [/^DELETE .+\/events\/\w+/]],
  ['google-drive/actions/create-folder.ts', listed('files'), [/^PATCH \/drive\/v3\/files\/.+ \{"trashed":true\}$/]],
  [
    'google-mail/actions/label-message.ts',
    none,
    [/^POST .+\/modify .*"addLabelIds":\["UNREAD","INBOX"\],"removeLabelIds":\["Label_12"\]/],
  ],
  ['hubspot/actions/add-note.ts', none, [/^DELETE \/crm\/v3\/objects\/notes\/\d+$/]],
  ['hubspot/actions/create-contact.ts', none, [/^DELETE \/crm\/v3\/objects\/contacts\/\d+$/]],
  [
    'intercom/actions/create-contact.ts',
    { same: (one) => one, changed: (one) => ({ ...one, updated_at: 1 }) },
    [/^DELETE \/contacts\/\w+$/],
  ],
  [
    'jira/actions/create-issue.ts',
    answered({ fields: { created: 'a', updated: 'a' } }, { fields: { created: 'a', updated: 'b' } }),
    [/^DELETE \/ex\/jira\/.+\/issue\/\d+$/],
  ],
  ['jira/actions/comment-on-issue.ts', none, [/^DELETE \/ex\/jira\/.+\/issue\/.+\/comment\/\d+$/]],
  [
    'linear/actions/create-issue.ts',
    {
      same: (one) => ({ data: { issue: issueOf(one) } }),
      changed: (one) => ({ data: { issue: { ...issueOf(one), updatedAt: '2031-01-01T00:00:00.000Z' } } }),
    },
    [/^POST \/graphql .*mutation DeleteIssue/],
  ],
  ['notion/actions/append-paragraphs.ts', none, [/^DELETE \/v1\/blocks\//]],
  ['notion/actions/create-page.ts', member('last_edited_time'), [/^PATCH \/v1\/pages\/.+ \{"archived":true\}$/]],
  [
    'outlook/actions/move-message.ts',
    { same: (one) => one, changed: (one) => ({ ...one, parentFolderId: 'elsewhere' }) },
    [/^POST .+\/move .*"destinationId":"AQMkADNiInboxAAA="/],
  ],
  [
    'salesforce/actions/create-contact.ts',
    answered({ CreatedDate: 'a', LastModifiedDate: 'a' }, { CreatedDate: 'a', LastModifiedDate: 'b' }),
    [/^DELETE .+\/sobjects\/Contact\/\w+$/],
  ],
  [
    'salesforce/actions/update-opportunity.ts',
    answered(
      { StageName: 'Closed Won', CloseDate: '2026-02-11', NextStep: null },
      { StageName: 'Closed Lost', CloseDate: '2026-02-11', NextStep: null },
    ),
    [/^PATCH .+ \{"StageName":"Negotiation","CloseDate":"2026-02-20","NextStep":"Send the offer"\}$/],
  ],
  [
    'shopify/actions/create-product.ts',
    {
      same: (one) => ({ data: { product: productOf(one) } }),
      changed: (one) => ({ data: { product: { ...productOf(one), updatedAt: '2031-01-01T00:00:00.000Z' } } }),
    },
    [/^POST .+ .*mutation DeleteProduct/],
  ],
  ['slack/actions/send-message.ts', none, [/^POST \/chat.delete \{"channel":"\w+","ts":"[\d.]+"\}$/]],
  ['stripe-api-key/actions/create-customer.ts', listed('data'), [/^DELETE \/v1\/customers\/\w+$/]],
  ['zendesk/actions/create-ticket.ts', inside('ticket', 'updated_at'), [/^DELETE \/api\/v2\/tickets\/\d+.json$/]],
  ['zoom/actions/create-meeting.ts', none, [/^DELETE \/meetings\/\d+$/]],
];

type Issue = Record<string, unknown>;
const issueOf = (one: Answer): Issue => (one['data'] as { issueCreate: { issue: Issue } }).issueCreate.issue;
const productOf = (one: Answer): Issue => (one['data'] as { productCreate: { product: Issue } }).productCreate.product;

const bodyOf = ({ body }: GuestHttpRequest): string =>
  body?.kind === 'json' || body?.kind === 'form' ? body.text : '';
const isRead = (request: GuestHttpRequest): boolean =>
  request.method === 'GET' || bodyOf(request).includes('query Read');

/** What the provider answers to a write, for providers that do so in the body. */
const DONE = {
  ok: true,
  data: { issueDelete: { success: true }, productDelete: { deletedProductId: 'x', userErrors: [] } },
};

async function undo(path: string, read: (recorded: Answer) => unknown) {
  const { kept } = await templates.run(path);
  const recorded = (await readResponses(path)).at(-1) as Answer;
  const { failure, requests } = await templates.run(path, {
    undo: kept === undefined ? {} : { kept },
    responses: (request) => ({ body: isRead(request) ? read(recorded) : DONE }),
  });
  const writes = requests
    .filter((request) => !isRead(request))
    .map((request) => {
      const { endpoint, method, params } = request;
      const query = typeof params === 'string' ? `?${params}` : '';
      return `${method} ${endpoint}${query} ${bodyOf(request)}`.trim();
    });
  return { failure, writes };
}

describe('the undo of a shipped action', () => {
  it.each(UNDOS)('%s', async (path, reads, expected) => {
    const { failure, writes } = await undo(path, reads?.same ?? (() => ({})));
    expect(failure).toBeUndefined();
    for (const one of expected) expect(writes).toContainEqual(expect.stringMatching(one));
    if (!reads) return;
    const refused = await undo(path, reads.changed);
    expect(refused.writes).toEqual([]);
    expect(JSON.stringify(refused.failure)).toContain('since that call.');
  });

  it('deletes the rows that were created, in lots', async () => {
    const created_ids = Array.from({ length: 12 }, (_, index) => `rec${index}`);
    const { requests } = await templates.run('airtable-pat/actions/upsert-rows.ts', {
      undo: { output: { created_ids, updated_ids: [] } },
      responses: () => ({ body: {} }),
    });
    expect(requests.map(({ method, params }) => [method, String(params).split('&').length])).toEqual([
      ['DELETE', 10],
      ['DELETE', 2],
    ]);
  });

  it('leaves rows alone of which it does not know the former values', async () => {
    const { failure, requests } = await templates.run('airtable-pat/actions/upsert-rows.ts', {
      undo: { output: { created_ids: ['rec1'], updated_ids: ['rec2'] } },
      responses: () => ({ body: {} }),
    });
    expect(requests).toEqual([]);
    expect(JSON.stringify(failure)).toContain('The call also changed 1 rows, whose former values are unknown.');
  });
});
