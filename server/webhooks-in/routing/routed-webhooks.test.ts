import { describe, expect, it } from 'vitest';
import { route, type SentWebhook } from '../../../test/support/routing-fixture.ts';
import { CHECKED_ADDRESS_ROUTINGS } from './checked-address-routings.ts';
import { SIGNED_ROUTINGS } from './provider-signatures.ts';
import type { MatchTarget } from './webhook-routing.ts';
import { WEBHOOK_ROUTINGS } from './webhook-routings.ts';

interface ExpectedEvent {
  types?: string[];
  /** `[property, value]`, or all connections. */
  targets: Array<[property: string, value: unknown] | 'all'>;
  /** The body, unless given. */
  payload?: unknown;
}

interface Case {
  name: string;
  when?: string;
  sent: SentWebhook;
  events: ExpectedEvent[];
  /** The body, unless given. */
  forward?: unknown;
  response?: string;
}

const byHeader = (headers: Record<string, string>, body: unknown = { id: 1 }): SentWebhook => ({ headers, body });
const query = { nangoConnectionId: 'c-1' };

const CASES: Case[] = [
  {
    name: 'slackWebhookRouting',
    when: 'an event arrives',
    sent: { body: { type: 'event_callback', team_id: 'T1' } },
    events: [
      {
        types: ['event_callback'],
        targets: [['team.id', 'T1']],
        payload: { type: 'event_callback', team_id: 'T1', teamId: 'T1' },
      },
    ],
  },
  {
    name: 'slackWebhookRouting',
    when: 'a dialog is submitted',
    sent: {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: { payload: '{"type":"view_submission","team":{"id":"T2"}}' },
    },
    events: [
      {
        types: ['view_submission'],
        targets: [['team.id', 'T2']],
        payload: { type: 'view_submission', team: { id: 'T2' }, teamId: 'T2' },
      },
    ],
    forward: { type: 'view_submission', team: { id: 'T2' } },
    response: '',
  },
  {
    name: 'slackWebhookRouting',
    when: 'somebody types a command',
    sent: {
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: { command: '/deploy', team_id: 'T1' },
    },
    events: [{ targets: [['team.id', 'T1']], payload: { command: '/deploy', team_id: 'T1', teamId: 'T1' } }],
  },
  {
    name: 'slackWebhookRouting',
    when: 'a member of JSON is called payload',
    sent: { headers: { 'content-type': 'application/json' }, body: { type: 'a', team_id: 'T1', payload: '{"x":1}' } },
    events: [
      {
        types: ['a'],
        targets: [['team.id', 'T1']],
        payload: { type: 'a', team_id: 'T1', payload: '{"x":1}', teamId: 'T1' },
      },
    ],
  },
  ...['githubAppWebhookRouting', 'githubAppOauthWebhookRouting'].map((name) => ({
    name,
    sent: byHeader({ 'x-github-event': 'issues' }, { action: 'created', installation: { id: 42 } }),
    events: [{ types: ['issues'], targets: [['installation_id', '42'] as [string, string]] }],
  })),
  {
    name: 'gitlabWebhookRouting',
    when: 'the address names the connection',
    sent: { ...byHeader({ 'x-gitlab-event': 'Push Hook' }, { nangoConnectionId: 'other' }), query },
    events: [{ types: ['Push Hook'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'gitlabWebhookRouting',
    when: 'the body names the connection',
    sent: { body: { nangoConnectionId: 'c-2' } },
    events: [{ targets: [['connectionId', 'c-2']] }],
  },
  {
    name: 'shopifyWebhookRouting',
    sent: byHeader({ 'x-shopify-shop-domain': 'acme.myshopify.com', 'x-shopify-topic': 'orders/create' }),
    events: [{ types: ['orders/create'], targets: [['subdomain', 'acme']] }],
  },
  ...['issue', 'comment', 'sprint', 'issueLink', 'issuetype', 'user'].map((subject) => ({
    name: 'jiraWebhookRouting',
    when: `it is about a thing called ${subject}`,
    sent: { body: { webhookEvent: 'e', [subject]: { self: 'https://acme.atlassian.net/rest/api/2/thing/1' } } },
    events: [
      {
        types: ['e'],
        targets: [
          ['baseUrl', 'https://acme.atlassian.net'],
          ['subdomain', 'acme'],
        ] as Array<[string, string]>,
      },
    ],
  })),
  {
    name: 'jiraWebhookRouting',
    when: 'the site has a host of its own',
    sent: { body: { user: { self: 'https://b.test/1' }, issue: { self: 'https://jira.acme.test:8443/rest/1' } } },
    events: [
      {
        targets: [
          ['baseUrl', 'https://jira.acme.test:8443'],
          ['subdomain', undefined],
        ],
      },
    ],
  },
  {
    name: 'jiraWebhookRouting',
    when: 'nothing says the site',
    sent: { body: { issue: { self: 'nowhere' } } },
    events: [
      {
        targets: [
          ['baseUrl', undefined],
          ['subdomain', undefined],
        ],
      },
    ],
  },
  {
    name: 'notionWebhookRouting',
    sent: { body: { type: 'page.created', workspace_id: 'w-1' } },
    events: [{ types: ['page.created'], targets: [['workspace_id', 'w-1']] }],
  },
  {
    name: 'notionWebhookRouting',
    when: 'the key of later signatures comes',
    sent: { body: { verification_token: 'secret_1', type: 'page.created', workspace_id: 'w-1' } },
    events: [],
  },
  {
    name: 'airtableWebhookRouting',
    sent: { body: { base: { id: 'app1' }, webhook: { id: 'ach1' } } },
    events: [
      {
        targets: [['metadata.webhooks', 'ach1']],
        payload: { base: { id: 'app1' }, webhook: { id: 'ach1' }, type: '*' },
      },
    ],
  },
  {
    name: 'calendlyWebhookRouting',
    sent: { body: { event: 'invitee.created', created_by: 'https://api.calendly.com/users/U1' } },
    events: [{ types: ['invitee.created'], targets: [['owner', 'https://api.calendly.com/users/U1']] }],
  },
  {
    name: 'attioWebhookRouting',
    sent: {
      body: {
        events: [
          { event_type: 'record.created', id: { workspace_id: 'w-1' } },
          { event_type: 'record.deleted', id: { workspace_id: 'w-2' } },
        ],
      },
    },
    events: [
      {
        types: ['record.created'],
        targets: [['workspace_id', 'w-1']],
        payload: { event_type: 'record.created', id: { workspace_id: 'w-1' } },
      },
      {
        types: ['record.deleted'],
        targets: [['workspace_id', 'w-2']],
        payload: { event_type: 'record.deleted', id: { workspace_id: 'w-2' } },
      },
    ],
  },
  { name: 'attioWebhookRouting', when: 'there are no events', sent: { body: { events: 'none' } }, events: [] },
  {
    name: 'salesforceWebhookRouting',
    sent: { body: { nango: { eventType: 'Account', connectionId: 'c-1' } } },
    events: [{ types: ['Account'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'microsoftTeamsWebhookRouting',
    sent: { body: { type: 'message', channelData: { tenant: { id: 't-1' } } } },
    events: [{ types: ['message'], targets: [['tenantId', 't-1']] }],
  },
  {
    name: 'sentryOauthWebhookRouting',
    sent: { body: { action: 'triggered', installation: { uuid: 'u-1' } } },
    events: [
      {
        types: ['triggered'],
        targets: [
          ['installation_id', undefined],
          ['installation.uuid', 'u-1'],
        ],
      },
    ],
  },
  {
    name: 'pagerdutyWebhookRouting',
    sent: byHeader({ 'x-nango-connection-id': 'c-1' }, { event: { event_type: 'incident.triggered' } }),
    events: [{ types: ['incident.triggered'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'fathomWebhookRouting',
    sent: { body: { type: 'ignored', recorded_by: { email: 'ada@example.com' } } },
    events: [{ targets: [['metadata.emailAddress', 'ada@example.com']] }],
  },
  {
    name: 'folkWebhookRouting',
    sent: { query, body: { type: 'person.created' } },
    events: [{ types: ['person.created'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'calComWebhookRouting',
    when: 'the address names the connection',
    sent: { query, body: { triggerEvent: 'BOOKING_CREATED' } },
    events: [{ types: ['BOOKING_CREATED'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'calComWebhookRouting',
    when: 'the body names the connection',
    sent: { body: { triggerEvent: 'BOOKING_CREATED', nangoConnectionId: 'c-2' } },
    events: [{ types: ['BOOKING_CREATED'], targets: [['connectionId', 'c-2']] }],
  },
  {
    name: 'highlevelWebhookRouting',
    when: 'it is about a location',
    sent: { body: { type: 'ContactCreate', locationId: 'l-1', companyId: 'k-1' } },
    events: [{ types: ['ContactCreate'], targets: [['locationId', 'l-1']] }],
  },
  {
    name: 'highlevelWebhookRouting',
    when: 'it is about an agency',
    sent: { body: { type: 'LocationCreate', companyId: 'k-1' } },
    events: [{ types: ['LocationCreate'], targets: [['companyId', 'k-1']] }],
  },
  {
    name: 'highlevelWebhookRouting',
    when: 'it names no account',
    sent: { body: { type: 'PlanChange', locationId: '' } },
    events: [{ types: ['PlanChange'], targets: ['all'] }],
  },
  {
    name: 'sellsyWebhookRouting',
    when: 'a document changes',
    sent: { body: { corpid: 7, eventType: 'docslog', relatedtype: 'invoice', event: 'created', thirdtype: 'client' } },
    events: [{ types: ['invoice.created'], targets: [['corpid', '7']] }],
  },
  {
    name: 'sellsyWebhookRouting',
    when: 'a third party changes',
    sent: { body: { corpid: 7, eventType: 'thirdlog', relatedtype: 'third', event: 'updated', thirdtype: 'client' } },
    events: [{ types: ['client.updated', 'third.thirdlog.updated'], targets: [['corpid', '7']] }],
  },
  {
    name: 'sellsyWebhookRouting',
    when: 'a third party of no kind changes',
    sent: { body: { corpid: 7, eventType: 'thirdlog', relatedtype: 'third', event: 'updated' } },
    events: [{ types: ['third.thirdlog.updated'], targets: [['corpid', '7']] }],
  },
  {
    name: 'videoaskWebhookRouting',
    sent: byHeader({ 'nango-connection-id': 'c-1' }, { type: 'form_response' }),
    events: [{ types: ['form_response'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'shipstationWebhookRouting',
    when: 'a header names the connection',
    sent: byHeader(
      { 'x-nango-connection-id': 'c-1' },
      { resource_type: 'ORDER_NOTIFY', resource_url: 'https://ssapi.shipstation.com/orders?storeID=9' },
    ),
    events: [{ types: ['ORDER_NOTIFY'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'shipstationWebhookRouting',
    when: 'the address of the resource names the store',
    sent: {
      body: {
        resource_type: 'ORDER_NOTIFY',
        resource_url: 'https://ssapi.shipstation.com/orders?importBatch=1&storeID=9',
      },
    },
    events: [{ types: ['ORDER_NOTIFY'], targets: [['metadata.storeId', '9']] }],
  },
  {
    name: 'shipstationWebhookRouting',
    when: 'nothing names anything',
    sent: { body: { resource_type: 'ORDER_NOTIFY' } },
    events: [{ types: ['ORDER_NOTIFY'], targets: [['metadata.storeId', undefined]] }],
  },
  {
    name: 'streakWebhookRouting',
    sent: byHeader({ 'x-streak-webhook-token': 'tok' }),
    events: [{ targets: [['streakWebhookToken', 'tok']] }],
  },
  {
    name: 'filloutWebhookRouting',
    sent: { body: { type: 'submission', formId: 'f-1' } },
    events: [{ types: ['submission'], targets: [['metadata.formId', 'f-1']] }],
  },
  {
    name: 'filloutWebhookRouting',
    when: 'several things come at once',
    sent: { body: [{ formId: 'f-1' }, { formId: 'f-2' }] },
    events: [
      { targets: [['metadata.formId', 'f-1']], payload: { formId: 'f-1' } },
      { targets: [['metadata.formId', 'f-2']], payload: { formId: 'f-2' } },
    ],
  },
  ...['affinityWebhookRouting', 'jobdivaWebhookRouting'].map((name) => ({
    name,
    sent: { body: { type: 'person.created' } },
    events: [{ types: ['person.created'], targets: ['all' as const] }],
  })),
  {
    name: 'authenticatedWebhookRouting',
    sent: byHeader({ 'x-nango-connection-id': 'c-1' }, { type: 'ping' }),
    events: [{ types: ['ping'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'unauthenticatedWebhookRouting',
    sent: { body: { type: 'ping', connectionId: 'c-1' } },
    events: [{ types: ['ping'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'unauthenticatedWebhookRouting',
    when: 'the body is text',
    sent: { body: 'hello', rawBody: 'hello' },
    events: [{ targets: [['connectionId', undefined]] }],
  },
  {
    name: 'stripeWebhookRouting',
    when: 'a connected account is named',
    sent: { body: { type: 'invoice.paid', account: 'acct_1' } },
    events: [
      {
        types: ['invoice.paid'],
        targets: [
          ['connectionId', undefined],
          ['context', 'acct_1'],
          ['stripe_user_id', 'acct_1'],
        ],
      },
    ],
  },
  {
    name: 'intercomWebhookRouting',
    sent: { query, body: { type: 'notification_event', topic: 'user.created', app_id: 'a' } },
    events: [{ types: ['user.created'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'zoomWebhookRouting',
    sent: { query, body: { event: 'meeting.started' } },
    events: [{ types: ['meeting.started'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'asanaWebhookRouting',
    sent: {
      query,
      body: {
        events: [
          { action: 'changed', resource: { resource_type: 'task' } },
          { action: 'changed', resource: { resource_type: 'task' } },
          { action: 'added', resource: { resource_type: 'story' } },
          { action: 'added' },
        ],
      },
    },
    events: [{ types: ['task.changed', 'story.added'], targets: [['connectionId', 'c-1']] }],
  },
  {
    name: 'quickbooksWebhookRouting',
    sent: {
      body: {
        eventNotifications: [
          {
            realmId: '118',
            dataChangeEvent: {
              entities: [
                { name: 'Customer', operation: 'Create' },
                { name: 'Vendor', operation: 'Create' },
                { name: 'Customer', operation: 'Create' },
              ],
            },
          },
        ],
      },
    },
    events: [
      {
        types: ['Customer.Create', 'Vendor.Create'],
        targets: [
          ['connectionId', undefined],
          ['realmId', '118'],
        ],
        payload: {
          realmId: '118',
          dataChangeEvent: {
            entities: [
              { name: 'Customer', operation: 'Create' },
              { name: 'Vendor', operation: 'Create' },
              { name: 'Customer', operation: 'Create' },
            ],
          },
        },
      },
    ],
  },
  {
    name: 'quickbooksWebhookRouting',
    when: 'it sends CloudEvents',
    sent: { body: [{ type: 'qbo.invoice.created.v1', intuitaccountid: '118' }] },
    events: [
      {
        types: ['qbo.invoice.created.v1'],
        targets: [
          ['connectionId', undefined],
          ['realmId', '118'],
        ],
        payload: { type: 'qbo.invoice.created.v1', intuitaccountid: '118' },
      },
    ],
  },
  {
    name: 'docusignWebhookRouting',
    sent: { body: { event: 'envelope-completed', data: { accountId: 'a-1' } } },
    events: [
      {
        types: ['envelope-completed'],
        targets: [
          ['connectionId', undefined],
          ['accountId', 'a-1'],
        ],
      },
    ],
  },
  {
    name: 'frontWebhookRouting',
    sent: { query, body: { type: 'inbound_received' } },
    events: [{ types: ['inbound_received'], targets: [['connectionId', 'c-1']] }],
  },
  ...['eventType', 'event'].map((field) => ({
    name: 'firefliesWebhookRouting',
    when: `it calls the type ${field}`,
    sent: { query, body: { [field]: 'Transcription completed' } },
    events: [{ types: ['Transcription completed'], targets: [['connectionId', 'c-1'] as [string, string]] }],
  })),
  {
    name: 'aircallWebhookRouting',
    sent: { query, body: { event: 'call.created', token: 't' } },
    events: [{ types: ['call.created'], targets: [['connectionId', 'c-1']] }],
  },
];

const toTarget = (target: ExpectedEvent['targets'][number]): MatchTarget =>
  target === 'all' ? target : { property: target[0], value: target[1] };

describe('a webhook', () => {
  it.each(CASES.map((one) => ({ when: 'something happens', ...one })))(
    'is routed by $name when $when',
    async ({ name, sent, events, forward = sent.body, response }) => {
      expect(await route(name, sent, { skipsSignature: true })).toEqual({
        kind: 'handled',
        forward,
        events: events.map(({ types = [], targets, payload = sent.body }) => ({
          types,
          targets: targets.map(toTarget),
          payload,
        })),
        ...(response === undefined ? {} : { response }),
      });
    },
  );

  it.each([
    ['query', { query: { nangoConnectionId: 'c-1' }, headers: { 'x-nango-connection-id': 'other' } }],
    ['header', { headers: { 'x-nango-connection-id': 'c-1' }, body: { connectionId: 'other' } }],
    ['body', { body: { connectionId: 'c-1', nangoConnectionId: 'other' } }],
    ['body, by its other name', { body: { nangoConnectionId: 'c-1' } }],
  ])('of a provider that names no account names its connection in the %s', async (_place, sent) => {
    expect(await route('intercomWebhookRouting', sent)).toMatchObject({
      events: [{ targets: [{ property: 'connectionId', value: 'c-1' }] }],
    });
  });

  it.each([
    ['gitlabWebhookRouting', {}, 400, 'Webhook payload is missing nangoConnectionId'],
    ['folkWebhookRouting', { body: { nangoConnectionId: 'c-1' } }, 400, 'Webhook payload is missing nangoConnectionId'],
    ['calComWebhookRouting', {}, 400, 'Webhook payload is missing nangoConnectionId'],
    ['pagerdutyWebhookRouting', {}, 400, 'The webhook has no header x-nango-connection-id.'],
    ['shopifyWebhookRouting', {}, 400, 'The webhook has no header x-shopify-shop-domain.'],
    ['streakWebhookRouting', {}, 401, 'Missing webhook signature'],
  ] as const)('is refused by %s when that is missing which it must carry', async (name, sent, status, message) => {
    expect(await route(name, sent, { skipsSignature: true })).toEqual({ kind: 'refused', status, message });
  });
});

/** Routings that always require a signature, or that a table cannot describe, have their own tests. */
const ELSEWHERE = [
  'autotaskWebhookRouting',
  'checkrPartnerWebhookRouting',
  'connectwisePsaWebhookRouting',
  'googleCalendarWebhookRouting',
  'googleDriveWebhookRouting',
  'googleMailWebhookRouting',
  'googleWebhookRouting',
  'hubspotWebhookRouting',
  'jobberWebhookRouting',
  'linearWebhookRouting',
  'microsoftWebhookRouting',
  'xeroWebhookRouting',
];

it('every routing is in the table, in that of provider-signatures.test.ts, or has tests of its own', () => {
  const elsewhere = [...ELSEWHERE, ...Object.keys({ ...CHECKED_ADDRESS_ROUTINGS, ...SIGNED_ROUTINGS })];
  const named = new Set([...CASES.map(({ name }) => name), ...elsewhere]);

  expect([...named].sort()).toEqual([...WEBHOOK_ROUTINGS.keys()].sort());
});
