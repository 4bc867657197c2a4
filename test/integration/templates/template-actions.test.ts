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
  ])('%s tells its caller why', async (path, answer, payload) => {
    const { failure } = await templates.run(path, { answers: [answer] });

    expect(failure?.code).toBe(REFUSED);
    expect(failure?.payload).toEqual(payload);
  });

  it.each([
    'github/actions/create-issue.ts',
    'linear/actions/create-issue.ts',
    'notion/actions/create-page.ts',
    'slack/actions/send-message.ts',
    'stripe-api-key/actions/create-customer.ts',
  ])('%s leaves the failures that are nobody’s fault as they are, and never repeats a write', async (path) => {
    const { failure, requests } = await templates.run(path, { answers: [{ status: 503, body: 'down' }] });

    expect(failure).toMatchObject({ code: 'script_http_error', payload: { status: 503 } });
    expect(requests.map(({ retries }) => retries ?? 0)).toEqual([0]);
  });

  it.each([
    ['github/actions/create-issue.ts', { owner: 'octocat', repository: 'Hello-World' }],
    ['slack/actions/find-user-by-email.ts', { email: 'nobody' }],
    ['linear/actions/create-issue.ts', { team_id: 't', title: 'a', priority: 9 }],
    ['notion/actions/append-paragraphs.ts', { page_id: 'p', paragraphs: [] }],
    ['stripe-api-key/actions/refund-payment.ts', { payment_intent: 'pi_1' }],
  ])('%s asks for nothing when the input does not fit', async (path, input) => {
    const { failure, requests } = await templates.run(path, { input, answers: [] });

    expect(failure).toMatchObject({ code: REFUSED, payload: { message: 'Invalid input provided' } });
    expect(requests).toEqual([]);
  });
});
