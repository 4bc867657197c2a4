import { DEFAULT_CONNECT_UI } from '../../server/authorization/connect-ui.contract.ts';
import type { EnvironmentSettingsResponse } from '../../server/environments/dashboard-settings.contract.ts';
import type { WebhookDetail } from '../../server/webhooks-in/dashboard-webhooks.contract.ts';
import type { OutgoingWebhookDetail } from '../../server/webhooks-out/dashboard-outgoing-webhooks.contract.ts';
import type { ShownDestination } from '../../server/webhooks-out/dashboard-webhook-destinations.contract.ts';
import type { Described } from './dashboard-fixture-seeds.ts';

export const DEFAULT_SETTINGS: EnvironmentSettingsResponse = {
  callback_url: null,
  public_url: null,
  log_level: null,
  allowed_hosts: [],
  allow_base_url_override: true,
  agents_may_build: false,
  approvals: { url: null, kind: 'ntfy', token: null, public: false },
  rate_limit_per_minute: null,
  webhook: {
    primary_url: 'http://localhost:4000/webhooks/homeport',
    secondary_url: null,
    on_auth_creation: true,
    on_auth_refresh_error: true,
    on_sync_completion_always: true,
    on_sync_error: true,
    on_async_action_completion: true,
    on_connection_deletion: false,
  },
  variables: [
    { name: 'SEGMENT_KEY', is_plain: false },
    { name: 'TEAM_CHANNEL', is_plain: true, value: '#integrations' },
  ],
  connect_ui: DEFAULT_CONNECT_UI,
  retention: {
    logs_days: 15,
    logs_megabytes: 1024,
    webhooks_days: 7,
    records_prune_days: null,
    records_delete_days: null,
  },
  otlp_endpoint: 'http://localhost:4318',
  otlp_headers: [{ name: 'x-api-key' }],
};

type Kind = Pick<OutgoingWebhookDetail, 'type' | 'message' | 'state' | 'code' | 'error'> & { attempts: number };

const KINDS: Kind[] = [
  {
    type: 'sync',
    message: 'Webhook: invoices synced Invoice',
    state: 'delivered',
    code: 200,
    error: null,
    attempts: 1,
  },
  { type: 'auth', message: 'Webhook: connection creation', state: 'delivered', code: 204, error: null, attempts: 1 },
  { type: 'sync', message: 'Webhook: invoices failed', state: 'waiting', code: 503, error: null, attempts: 1 },
  { type: 'forward', message: 'Forward a webhook of hubspot', state: 'delivered', code: 200, error: null, attempts: 2 },
  {
    type: 'async_action',
    message: 'Webhook: send-message ended',
    state: 'failed',
    code: 410,
    error: null,
    attempts: 1,
  },
  {
    type: 'sync',
    message: 'Webhook: contacts synced Contact',
    state: 'failed',
    code: null,
    error: 'ECONNREFUSED',
    attempts: 3,
  },
];
const URL = DEFAULT_SETTINGS.webhook.primary_url ?? '';

export function seedDestinations(): ShownDestination[] {
  return [
    {
      id: 'destination-billing',
      name: 'Billing',
      url: 'https://billing.internal.example/hooks/homeport',
      isEnabled: true,
      types: ['auth', 'sync'],
      integrations: ['hubspot'],
    },
    {
      id: 'destination-audit',
      name: null,
      url: 'http://localhost:5100/audit',
      isEnabled: true,
      types: [],
      integrations: [],
    },
    {
      id: 'destination-old',
      name: 'Old CRM mirror',
      url: 'http://nas.local:8080/mirror',
      isEnabled: false,
      types: ['forward'],
      integrations: ['hubspot', 'slack'],
    },
  ];
}

export function seedWebhooks(now: number, connections: Described[], count = 240): OutgoingWebhookDetail[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = KINDS[index % KINDS.length] as Kind;
    const owner = connections[index % connections.length]?.detail;
    return webhook(
      now,
      index,
      { ...kind, state: index > 8 && kind.state === 'waiting' ? 'delivered' : kind.state },
      owner,
    );
  });
}

function webhook(
  now: number,
  index: number,
  { attempts: made, ...kind }: Kind,
  owner: Described['detail'] | undefined,
): OutgoingWebhookDetail {
  const created = now - 4000 - index * 47_000;
  const body = {
    connectionId: owner?.connectionId,
    from: 'nango',
    providerConfigKey: owner?.integrationKey,
    responseResults: { added: 14, deleted: 0, updated: 3 },
    success: true,
    type: kind.type,
  };
  const isWaiting = kind.state === 'waiting';
  return {
    ...kind,
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    cause: index % 7 === 3 ? 'replay' : 'event',
    originId: index % 7 === 3 ? '00000000-0000-4000-8000-000000000011' : null,
    integrationKey: owner?.integrationKey ?? null,
    connectionId: owner?.connectionId ?? null,
    operationId: 'op-0',
    url: URL,
    destinationName: null,
    destination: 1,
    destinationCount: 1,
    attempt: isWaiting ? made + 1 : made,
    mostAttempts: 3,
    durationMs: kind.code === null ? 3 : 84 + ((index * 37) % 200),
    createdAt: new Date(created).toISOString(),
    nextAttemptAt: isWaiting ? new Date(now + 600_000).toISOString() : null,
    finishedAt: isWaiting ? null : new Date(created + 90).toISOString(),
    destinations: [URL],
    headers: {
      'content-type': 'application/json',
      'user-agent': 'homeport/0.1.0 (linux/6.1; node.js/v24.0.0)',
      'x-nango-signature': '4e1c0a9be0f3b1f2b7fd28a5d5e43e67e1fd2d9f1f9f0cbb0c62a4b7a0d7d1c9',
      'x-nango-hmac-sha256': '9f2b7d1c4e1c0a9be0f3b1f2b7fd28a5d5e43e67e1fd2d9f1f9f0cbb0c62a4b7',
    },
    body: JSON.stringify(body),
    attempts: Array.from({ length: made }, (_unused, at) => attempt(created, at, at + 1 < made ? 503 : kind.code)),
  };
}

function attempt(created: number, at: number, code: number | null): OutgoingWebhookDetail['attempts'][number] {
  return {
    url: URL,
    destination: 1,
    attempt: at + 1,
    startedAt: new Date(created + at * 3100).toISOString(),
    durationMs: code === null ? 3 : 84,
    code,
    error: code === null ? 'ECONNREFUSED' : null,
    problem: code === null ? 'localhost:4000 refused the connection' : null,
    headers: code === null ? null : { 'content-type': 'application/json', server: 'next.js' },
    body: code === null ? null : JSON.stringify(code < 300 ? { received: true } : { error: 'Service Unavailable' }),
    isBodyCut: false,
  };
}

const EVENTS: [
  type: string,
  outcome: WebhookDetail['outcome'],
  run: WebhookDetail['runs'][number]['state'] | undefined,
][] = [
  ['contact.creation', 'handled', 'success'],
  ['deal.propertyChange', 'handled', 'running'],
  ['url_verification', 'handshake', undefined],
  ['order.paid', 'forwarded', undefined],
  ['contact.deletion', 'refused', undefined],
  ['issue.updated', 'failed', 'failed'],
];

function signatureOf(outcome: WebhookDetail['outcome'], index: number): WebhookDetail['signature'] {
  if (outcome === 'handshake') return null;
  if (outcome === 'refused') return 'invalid';
  return index % 5 === 3 ? 'unchecked' : 'valid';
}

export function seedIncoming(now: number, connections: Described[], count = 180): WebhookDetail[] {
  return Array.from({ length: count }, (_, index) => {
    const [type, outcome, run] = EVENTS[index % EVENTS.length] as (typeof EVENTS)[number];
    const owner = connections[index % connections.length]?.detail;
    const body = JSON.stringify({
      event: type,
      objectId: 90_210 + index,
      portalId: 4711,
      properties: { stage: 'won' },
    });
    const connectionId = owner?.connectionId ?? '';
    const isTaken = ['handled', 'forwarded', 'failed'].includes(outcome);
    return {
      id: `in-${index}`,
      receivedAt: new Date(now - 2000 - index * 61_000).toISOString(),
      integrationKey: owner?.integrationKey ?? '',
      provider: owner?.provider ?? '',
      method: 'POST',
      path: `/webhook/7a1f0000-0000-4000-8000-000000000000/${owner?.integrationKey}`,
      sizeBytes: body.length,
      outcome,
      status: outcome === 'refused' ? 401 : 200,
      signature: signatureOf(outcome, index),
      message: outcome === 'refused' ? 'Invalid webhook signature' : null,
      eventTypes: [type],
      connectionIds: isTaken && index % 4 !== 3 ? [connectionId] : [],
      runs: run
        ? [
            {
              ...{ id: `run-${index}`, functionName: 'contacts', connectionId, state: run, operationId: 'op-2' },
              endedAt: run === 'running' ? null : new Date(now - index * 61_000).toISOString(),
            },
          ]
        : [],
      forwards: isTaken ? 1 : 0,
      forwardState: isTaken ? (index % 9 === 5 ? 'failed' : 'delivered') : null,
      operationId: run ? null : 'op-1',
      replayOf: null,
      durationMs: 4 + (index % 9),
      query: '',
      headers: { 'content-type': 'application/json', 'x-hubspot-signature': 'c0ffee', 'user-agent': 'provider/1' },
      body: { text: body, encoding: 'utf8' },
      expiresAt: new Date(now + 6 * 86_400_000).toISOString(),
    };
  });
}
