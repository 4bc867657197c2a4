import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TemplateRunner } from './run-template.ts';

let templates: TemplateRunner;
beforeAll(async () => {
  templates = await TemplateRunner.start();
});
afterAll(() => templates?.stop());

const REFUSED = 'action_script_runtime_error';
const invalidIssue = {
  message: 'Validation Failed',
  errors: [{ value: 'nobody', resource: 'Issue', field: 'assignees', code: 'invalid' }],
  documentation_url: 'https://docs.github.com/rest/issues/issues#create-an-issue',
  status: '422',
};
const invalidPage = {
  object: 'error',
  status: 404,
  code: 'object_not_found',
  message: 'Could not find page with ID: b55c9c91. Make sure it is shared with your integration.',
};
const refundedCharge = {
  error: {
    code: 'charge_already_refunded',
    doc_url: 'https://docs.stripe.com/error-codes/charge-already-refunded',
    message: 'Charge ch_3MmlLrLkdIwHu7ix0snN0B15 has already been refunded.',
    type: 'invalid_request_error',
  },
};
const unknownTeam = {
  errors: [
    {
      message: 'Argument Validation Error',
      extensions: { code: 'INVALID_INPUT', userPresentableMessage: 'teamId must be a UUID.' },
    },
  ],
  data: null,
};
const goneOrder = { field: ['id'], message: 'Order does not exist' };

describe('an action that its provider refuses', () => {
  it.each([
    [
      'github/actions/create-issue.ts',
      { status: 422, body: invalidIssue },
      { code: 'refused_by_github', status: 422, message: 'Validation Failed', errors: invalidIssue.errors },
    ],
    [
      'github/actions/comment-on-issue.ts',
      { status: 404, body: { message: 'Not Found', status: '404' } },
      { code: 'not_found', status: 404, message: 'Not Found', errors: [] },
    ],
    [
      'slack/actions/send-message.ts',
      { body: { ok: false, error: 'missing_scope', needed: 'chat:write', provided: 'users:read' } },
      {
        code: 'missing_scope',
        message: 'Slack refused chat.postMessage: missing_scope, the connection needs the scope chat:write.',
      },
    ],
    [
      'slack/actions/find-user-by-email.ts',
      { body: { ok: false, error: 'users_not_found' } },
      { code: 'users_not_found', message: 'Slack refused users.lookupByEmail: users_not_found.' },
    ],
    [
      'linear/actions/create-issue.ts',
      { status: 400, body: unknownTeam },
      { code: 'INVALID_INPUT', message: 'teamId must be a UUID.' },
    ],
    [
      'linear/actions/update-issue.ts',
      { body: { data: null, errors: [{ message: 'Entity not found: Issue' }] } },
      { code: 'refused_by_linear', message: 'Entity not found: Issue' },
    ],
    [
      'notion/actions/create-page.ts',
      { status: 404, body: invalidPage },
      { code: 'object_not_found', status: 404, message: invalidPage.message },
    ],
    [
      'notion/actions/append-paragraphs.ts',
      { status: 404, body: invalidPage },
      { code: 'object_not_found', status: 404, message: invalidPage.message },
    ],
    [
      'stripe-api-key/actions/refund-payment.ts',
      { status: 400, body: refundedCharge },
      {
        code: 'charge_already_refunded',
        status: 400,
        message: refundedCharge.error.message,
        doc_url: refundedCharge.error.doc_url,
      },
    ],
    [
      'stripe-api-key/actions/create-customer.ts',
      { status: 400, body: { error: { type: 'invalid_request_error', param: 'email', message: 'Invalid email.' } } },
      { code: 'invalid_request_error', status: 400, message: 'Invalid email.', param: 'email' },
    ],
    [
      'jira/actions/create-issue.ts',
      { status: 400, body: { errorMessages: [], errors: { issuetype: 'Specify a valid issue type' } } },
      {
        code: 'issue_refused',
        status: 400,
        message: 'Specify a valid issue type',
        errors: { issuetype: 'Specify a valid issue type' },
      },
    ],
    [
      'gitlab/actions/create-issue.ts',
      { status: 400, body: { message: { title: ['is too long', 'is not allowed'], due_date: ['is invalid'] } } },
      {
        code: 'issue_refused',
        project: 'acme/shop',
        status: 400,
        message: 'title is too long, is not allowed; due_date is invalid',
      },
    ],
    [
      'asana/actions/comment-on-task.ts',
      { status: 404, body: { errors: [{ message: 'task: Unknown object: 1209000000000101' }] } },
      {
        code: 'task_not_found',
        task_id: '1209000000000101',
        status: 404,
        message: 'task: Unknown object: 1209000000000101',
      },
    ],
    [
      'google-drive/actions/create-folder.ts',
      { status: 403, body: { error: { message: 'No access.', errors: [{ reason: 'insufficientFilePermissions' }] } } },
      { code: 'folder_refused', status: 403, reason: 'insufficientFilePermissions', message: 'No access.' },
    ],
    [
      'google-drive/actions/read-text.ts',
      { body: { id: '1cNotes', name: 'Picture', mimeType: 'image/png', size: '2210' } },
      { code: 'not_a_text', message: 'Text cannot be read from image/png.' },
    ],
    [
      'outlook/actions/move-message.ts',
      { status: 404, body: { error: { code: 'ErrorItemNotFound', message: 'The object was not found.' } } },
      {
        code: 'message_or_folder_not_found',
        message_id: 'AAkALgAAspring0001',
        status: 404,
        reason: 'ErrorItemNotFound',
        message: 'The object was not found.',
      },
    ],
    [
      'salesforce/actions/create-contact.ts',
      { status: 400, body: [{ message: 'Use one of these records?', errorCode: 'DUPLICATES_DETECTED', fields: [] }] },
      {
        code: 'contact_refused',
        status: 400,
        error: 'DUPLICATES_DETECTED',
        message: 'Use one of these records?',
        fields: [],
      },
    ],
    [
      'shopify/actions/update-order.ts',
      { body: { data: { orderUpdate: { order: null, userErrors: [goneOrder] } } } },
      { code: 'refused_by_shopify', message: 'Order does not exist', errors: [goneOrder] },
    ],
    [
      'shopify/actions/create-product.ts',
      { body: { errors: [{ message: 'Access denied', extensions: { code: 'ACCESS_DENIED' } }], data: null } },
      { code: 'ACCESS_DENIED', message: 'Access denied' },
    ],
    [
      'intercom/actions/create-contact.ts',
      { status: 409, body: { type: 'error.list', errors: [{ code: 'conflict', message: 'It exists already.' }] } },
      { code: 'contact_exists', status: 409, error: 'conflict', message: 'It exists already.' },
    ],
    [
      'zoom/actions/cancel-meeting.ts',
      { status: 404, body: { code: 3001, message: 'Meeting does not exist.' } },
      {
        code: 'meeting_not_found',
        meeting_id: '81000000014',
        status: 404,
        number: 3001,
        message: 'Meeting does not exist.',
        errors: [],
      },
    ],
    [
      'clickup/actions/create-task.ts',
      { status: 400, body: { err: 'Status not found', ECODE: 'CRTSK_001' } },
      {
        code: 'task_refused',
        list_id: '901200000101',
        status: 400,
        error: 'CRTSK_001',
        message: 'Status not found',
      },
    ],
  ])('%s tells its caller why', async (path, response, payload) => {
    const { failure } = await templates.run(path, { responses: [response] });

    expect(failure?.code).toBe(REFUSED);
    expect(failure?.payload).toEqual(payload);
  });

  it.each([
    'github/actions/create-issue.ts',
    'linear/actions/create-issue.ts',
    'notion/actions/create-page.ts',
    'slack/actions/send-message.ts',
    'stripe-api-key/actions/create-customer.ts',
    'jira/actions/create-issue.ts',
    'gitlab/actions/create-issue.ts',
    'asana/actions/create-task.ts',
    'google-drive/actions/create-folder.ts',
    'outlook/actions/send-message.ts',
    'salesforce/actions/create-contact.ts',
    'shopify/actions/create-product.ts',
    'intercom/actions/create-contact.ts',
    'zoom/actions/create-meeting.ts',
    'clickup/actions/create-task.ts',
  ])('%s leaves the failures that are nobody’s fault as they are, and never repeats a write', async (path) => {
    const { failure, requests } = await templates.run(path, { responses: [{ status: 503, body: 'down' }] });

    expect(failure).toMatchObject({ code: 'script_http_error', payload: { status: 503 } });
    expect(requests.map(({ retries }) => retries ?? 0)).toEqual([0]);
  });

  it.each([
    ['github/actions/create-issue.ts', { owner: 'octocat', repository: 'Hello-World' }],
    ['slack/actions/find-user-by-email.ts', { email: 'nobody' }],
    ['linear/actions/create-issue.ts', { team_id: 't', title: 'a', priority: 9 }],
    ['notion/actions/append-paragraphs.ts', { page_id: 'p', paragraphs: [] }],
    ['stripe-api-key/actions/refund-payment.ts', { payment_intent: 'pi_1' }],
    ['jira/actions/create-issue.ts', { project_key: 'SHOP', type: 'Bug', summary: 'a', labels: ['two words'] }],
    ['gitlab/actions/create-issue.ts', { project: 'acme/shop', title: 'a', labels: ['one,two'] }],
    ['asana/actions/create-task.ts', { name: 'a', project_ids: [] }],
    ['google-drive/actions/read-text.ts', {}],
    ['outlook/actions/send-message.ts', { to: ['nobody'], subject: 'a', text: 'b' }],
    ['salesforce/actions/update-opportunity.ts', { id: '../Contact/003Hs00004FirstBIAS' }],
    ['shopify/actions/update-order.ts', { id: 'gid://shopify/Order/1' }],
    ['intercom/actions/create-contact.ts', { role: 'user', name: 'a' }],
    ['zoom/actions/cancel-meeting.ts', { meeting_id: '81/../82' }],
    ['clickup/actions/create-task.ts', { list_id: '1', name: 'a', priority: 'none' }],
  ])('%s asks for nothing when the input does not fit', async (path, input) => {
    const { failure, requests } = await templates.run(path, { input, responses: [] });

    expect(failure).toMatchObject({ code: REFUSED, payload: { message: 'Invalid input provided' } });
    expect(requests).toEqual([]);
  });

  it('of Shopify waits for points and asks again, since nothing was done yet', async () => {
    const throttled = {
      errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
      extensions: {
        cost: { requestedQueryCost: 12, throttleStatus: { currentlyAvailable: 2, restoreRate: 1000 } },
      },
    };
    const refused = { data: { orderUpdate: { order: null, userErrors: [goneOrder] } } };

    const { failure, requests } = await templates.run('shopify/actions/update-order.ts', {
      responses: [{ body: throttled }, { body: refused }],
    });

    expect(failure?.payload).toMatchObject({ message: goneOrder.message });
    expect(requests).toHaveLength(2);
  });
});
