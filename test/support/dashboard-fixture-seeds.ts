import type {
  ConnectionDetail,
  ShownConnectionStatus,
} from '../../server/connections/dashboard-connections.contract.ts';
import { INTEGRATION_FIELDS } from '../../server/contract/dashboard/dashboard-fields.ts';
import type {
  FunctionDetail,
  FunctionListItem,
  FunctionStats,
} from '../../server/functions/dashboard-functions.contract.ts';
import type { IntegrationDetail, ProviderDetail } from '../../server/integrations/dashboard-integrations.contract.ts';
import type {
  MessageListItem,
  OperationDetailResponse,
  ShownOperationState,
} from '../../server/log/dashboard-logs.contract.ts';
import type { SyncListItem } from '../../server/syncs/dashboard-syncs.contract.ts';

const MINUTE = 60_000;

/** Times relative to one "now", so that the fixture looks current whenever it runs. */
export const at = (now: number, minutes: number): string => new Date(now + minutes * MINUTE).toISOString();

const PROVIDERS: [name: string, displayName: string, authMode: string, category: string][] = [
  ['calendly', 'Calendly', 'OAUTH2', 'productivity'],
  ['github', 'GitHub', 'OAUTH2', 'dev-tools'],
  ['google-drive', 'Google Drive', 'OAUTH2', 'storage'],
  ['google-mail', 'Gmail', 'OAUTH2', 'communication'],
  ['hubspot', 'HubSpot', 'OAUTH2', 'crm'],
  ['jira', 'Jira', 'OAUTH2', 'ticketing'],
  ['linear', 'Linear', 'OAUTH2', 'ticketing'],
  ['notion', 'Notion', 'OAUTH2', 'productivity'],
  ['pagerduty', 'PagerDuty', 'API_KEY', 'dev-tools'],
  ['practice', 'Practice tracker', 'API_KEY', 'practice'],
  ['quickbooks', 'QuickBooks', 'OAUTH2', 'accounting'],
  ['salesforce', 'Salesforce', 'OAUTH2', 'crm'],
  ['shopify', 'Shopify', 'OAUTH2', 'e-commerce'],
  ['slack', 'Slack', 'OAUTH2', 'communication'],
  ['stripe', 'Stripe', 'API_KEY', 'payment'],
  ['twilio', 'Twilio', 'BASIC', 'communication'],
  ['twitter', 'Twitter', 'OAUTH1', 'social'],
  ['weather', 'Open weather', 'NONE', 'other'],
  ['xero', 'Xero', 'OAUTH2', 'accounting'],
  ['zendesk', 'Zendesk', 'OAUTH2', 'support'],
];

type Help = Pick<ProviderDetail, 'setupSteps' | 'setupGuideUrl' | 'availableScopes' | 'defaultScopes' | 'unconfirmed'>;

function seedHelp(name: string, authMode: string): Help {
  const isOauth = authMode === 'OAUTH2';
  return {
    setupSteps: isOauth
      ? [
          `Open the developer page of ${name} and choose Create app.`,
          'Enter the redirect URL {callbackUrl}.',
          'Copy the client ID and the client secret here.',
        ]
      : [],
    setupGuideUrl: `https://setup.example/${name}`,
    availableScopes: isOauth ? ['read', 'write', 'admin'] : [],
    defaultScopes: isOauth ? ['read'] : [],
    unconfirmed: [],
  };
}

export function seedProviders(): ProviderDetail[] {
  return PROVIDERS.map(([name, displayName, authMode, category]) => ({
    name,
    displayName,
    authMode,
    categories: [category],
    searchTerms: name === 'hubspot' ? ['marketing hub'] : [],
    source: 'built-in',
    isConfirmed: name !== 'calendly',
    waysIn: [authMode === 'OAUTH2' ? ('own_app' as const) : ('key' as const)],
    worksWithoutApp: authMode !== 'OAUTH2',
    templateCount: name === 'github' ? 4 : 0,
    docsUrl: `https://docs.example/${name}`,
    confirmation: name === 'github' ? { day: '2026-11-20', by: 'description' } : null,
    redirectRule: name === 'slack' ? 'https' : name === 'hubspot' ? 'localhost' : null,
    baseUrl: `https://api.${name}.example`,
    ...seedHelp(name, authMode),
    integrationFields: [],
    neededFields: authMode === 'OAUTH2' || authMode === 'OAUTH1' ? ['client_id', 'client_secret'] : [],
    credentialFields: [],
    connectionFields:
      name === 'zendesk' || name === 'pagerduty'
        ? [
            {
              name: 'subdomain',
              title: 'Account subdomain',
              pattern: '^[a-z0-9-]+$',
              suffix: `.${name}.com`,
              description: 'The first part of the address you sign in at.',
            },
          ]
        : [],
  }));
}

export function seedIntegrations(now: number, providers: ProviderDetail[]): IntegrationDetail[] {
  return providers
    .filter((provider) => !['twitter', 'twilio', 'weather', 'practice'].includes(provider.name))
    .map((provider, index) => integration(now, provider, provider.name, index));
}

export function integration(now: number, provider: ProviderDetail, key: string, index = 0): IntegrationDetail {
  const isOauth = provider.authMode === 'OAUTH2';
  const lacksId = key === 'quickbooks';
  return {
    key,
    provider: provider.name,
    displayName: provider.displayName,
    authMode: provider.authMode,
    connectionCount: 0,
    errorCount: 0,
    functionCount: 0,
    functionsEnabled: 0,
    missingFields: lacksId ? ['client ID'] : [],
    scopes: isOauth && !lacksId ? ['crm.objects.contacts.read', 'crm.objects.deals.read'] : [],
    lastUsedAt: lacksId ? null : at(now, -1 - index * 7),
    createdAt: at(now, -60 * 24 * 90),
    updatedAt: at(now, -60 * 24 * (index + 1)),
    fields: [...(INTEGRATION_FIELDS[provider.authMode] ?? [])],
    config:
      isOauth && !lacksId
        ? { client_id: `${key}-4f2a90c1`, scopes: 'crm.objects.contacts.read,crm.objects.deals.read' }
        : {},
    secretsSet: isOauth && !lacksId ? ['client_secret'] : [],
    callbackUrl: 'http://localhost:3003/oauth/callback',
    webhookUrl: `http://localhost:3003/webhook/0d2f6c9e/${key}`,
    forwardWebhooks: true,
    docsUrl: provider.docsUrl,
    providerSource: provider.source,
    pendingChange: null,
    ...seedHelp(provider.name, provider.authMode),
  };
}

type Person = [
  name: string,
  key: string,
  status: ShownConnectionStatus,
  syncs: number,
  records: number,
  expires: number | null,
  used: number,
];

const PEOPLE: Person[] = [
  ['Cobalt Cycles', 'hubspot', 'sync_error', 5, 48_213, 41, 0.07],
  ['Juniper Freight', 'slack', 'auth_error', 3, 9870, -12, 0.14],
  ['Harrow Books', 'xero', 'sync_error', 2, 3412, 18, 0.27],
  ['Pinecone Labs', 'linear', 'ok', 3, 1906, 1380, 0.7],
  ['Brightwell Foods', 'shopify', 'ok', 5, 112_640, null, 1],
  ['Isle Energy', 'calendly', 'ok', 1, 684, 6, 2],
  ['Kestrel Health', 'salesforce', 'ok', 6, 86_027, 61, 3],
  ['Alder & Finch', 'notion', 'ok', 2, 2377, null, 5],
  ['Marlow Textiles', 'quickbooks', 'paused', 3, 14_559, 52, 7],
  ['Gullwing Travel', 'google-mail', 'ok', 1, 31_804, 34, 9],
  ['Fernhill Dental', 'zendesk', 'ok', 2, 5120, null, 11],
  ['Orchard Legal', 'google-drive', 'ok', 2, 22_091, 47, 12],
  ['Nettle Studio', 'github', 'ok', 3, 7743, null, 18],
  ['Dune Robotics', 'jira', 'ok', 4, 19_388, 55, 22],
  ['Ember Post', 'stripe', 'ok', 2, 64_902, null, 26],
  ['Lumen Optics', 'zendesk', 'ok', 2, 1204, null, 31],
  ['Tidewater Rail', 'xero', 'ok', 2, 5512, 29, 38],
];
const REST = 197;

export interface Described {
  detail: ConnectionDetail;
  secrets: Record<string, string>;
}

export function seedConnections(now: number, integrations: IntegrationDetail[]): Described[] {
  const more = Array.from({ length: REST }, (_, index): Person => {
    const base = PEOPLE[(index * 5) % PEOPLE.length] as Person;
    const status: ShownConnectionStatus =
      index === 9 || index === 40 ? 'auth_error' : index % 61 === 7 ? 'paused' : 'ok';
    return [
      `${base[0].split(' ')[0]} ${['North', 'South', 'East', 'West'][index % 4]} ${index + 2}`,
      base[1],
      status,
      2,
      900 + index * 37,
      index % 3 ? 30 + index : null,
      45 + index * 9,
    ];
  });
  return [...PEOPLE, ...more].map((person, index) => connection(now, person, index, integrations));
}

function hex(index: number): string {
  return (((index + 1) * 2_654_435_761) % 0xffffffff).toString(16).padStart(8, '0');
}

function connection(now: number, person: Person, index: number, integrations: IntegrationDetail[]): Described {
  const [name, key, status, syncCount, recordCount, expires, used] = person;
  const owner = integrations.find((one) => one.key === key);
  const slug = name.toLowerCase().split(' ')[0] ?? 'user';
  const isRefreshable = expires !== null && name !== 'Isle Energy' && status !== 'auth_error';
  const id = index === 11 ? 'a/b c@d%' : `${hex(index)}-64d9-4a1b-9c0e-2f6b8c51d7aa`;
  const oauth = owner?.authMode !== 'API_KEY';
  const detail: ConnectionDetail = {
    connectionId: id,
    integrationKey: key,
    integrationName: owner?.displayName ?? key,
    provider: key,
    authMode: owner?.authMode ?? 'OAUTH2',
    displayName: name,
    email: `ops@${slug}.example`,
    tags: { plan: 'pro', region: index % 2 ? 'us' : 'eu' },
    status,
    isRunning: name === 'Pinecone Labs',
    errors:
      status === 'auth_error'
        ? [{ type: 'auth', operationId: 'op-8' }]
        : status === 'sync_error'
          ? [{ type: 'sync', operationId: 'op-4' }]
          : [],
    syncCount,
    pausedSyncCount: status === 'paused' ? syncCount : 0,
    recordCount,
    tokenExpiresAt: expires === null ? null : at(now, expires + 0.5),
    isRefreshable,
    lastUsedAt: at(now, -used),
    createdAt: at(now, -60 * 24 * (index + 3)),
    endUser: {
      id: `${slug}-${index + 17}`,
      displayName: name,
      email: `ops@${slug}.example`,
      organization: index % 2 ? null : { id: slug, displayName: `${name} BV` },
    },
    credentials: oauth
      ? [
          { name: 'access_token', title: 'Access token', isSecret: true, value: null },
          { name: 'refresh_token', title: 'Refresh token', isSecret: true, value: null },
          {
            name: 'expires_at',
            title: 'Expires at',
            isSecret: false,
            value: expires === null ? null : at(now, expires),
          },
        ]
      : [{ name: 'api_key', title: 'API key', isSecret: true, value: null }],
    scopes: oauth ? ['crm.objects.contacts.read', 'crm.objects.companies.read', 'tickets'] : [],
    connectionConfig: { subdomain: slug, instance: { region: 'eu-1', tier: 2 } },
    metadata: {
      plan: 'pro',
      fieldMap: { owner: 'hubspot_owner_id', stage: 'dealstage' },
      pageSize: 100,
      archived: false,
    },
    isTestable: true,
    lastRefresh: isRefreshable
      ? { at: at(now, -19), succeeded: true, message: null, operationId: 'op-6' }
      : status === 'auth_error'
        ? {
            at: at(now, -12),
            succeeded: false,
            message: 'Slack rejected the refresh token: invalid_grant.',
            operationId: 'op-8',
          }
        : null,
    nextRefreshAt: isRefreshable ? at(now, (expires ?? 0) - 5) : null,
    usedBy: oauth ? [{ keyId: 2, name: 'invoice-bot', at: at(now, -3) }] : [],
    webhookUrl: null,
    logLevel: null,
    lastError:
      status === 'auth_error'
        ? { at: at(now, -12), operationId: 'op-8', message: 'Slack rejected the refresh token: invalid_grant.' }
        : status === 'sync_error'
          ? { at: at(now, -7), operationId: 'op-4', message: 'HubSpot answered 403 on GET /crm/v3/objects/deals' }
          : null,
    updatedAt: at(now, -19),
  };
  return {
    detail,
    secrets: { access_token: `token-of-${slug}`, refresh_token: `refresh-of-${slug}`, api_key: `key-of-${slug}` },
  };
}

/** Twenty runs, the last `failed` of which failed. */
function seedRuns(now: number, failed: number): SyncListItem['recentRuns'] {
  return Array.from({ length: 20 }, (_, index) => ({
    operationId: `op-${index}`,
    status: index >= 20 - failed || (failed === 0 && index === 6) ? 'STOPPED' : 'SUCCESS',
    startedAt: at(now, -(20 - index) * 60),
    durationMs: 20_000 + ((index * 7919) % 31) * 1000,
    changed: (index * 7919) % 320,
  }));
}

/** A week of runs of a function. */
export function seedStats(now: number): FunctionStats {
  const buckets = Array.from({ length: 28 }, (_, index) => ({
    at: at(now, -(28 - index) * 6 * 60),
    succeeded: 12 + ((index * 7919) % 37),
    failed: index % 11 === 8 ? 3 : 0,
  }));
  const sum = (key: 'succeeded' | 'failed'): number => buckets.reduce((total, one) => total + one[key], 0);
  return { total: sum('succeeded') + sum('failed'), succeeded: sum('succeeded'), p50Ms: 604, p95Ms: 1100, buckets };
}

export function seedSyncs(now: number): SyncListItem[] {
  const sync = (name: string, model: string, patch: Partial<SyncListItem>): SyncListItem => ({
    name,
    variant: 'base',
    models: [model],
    status: 'SUCCESS',
    scheduleStatus: 'STARTED',
    frequency: 'every 1h',
    lastRun: { operationId: 'op-0', startedAt: at(now, -19), finishedAt: at(now, -18), error: null, refusal: null },
    nextRunAt: at(now, 42.5),
    recordCount: { [model]: 4118 },
    latestResult: { [model]: { added: 14, updated: 3, deleted: 0 } },
    checkpoint: null,
    hasOwnFrequency: false,
    changedSoFar: null,
    recentRuns: seedRuns(now, patch.status === 'ERROR' ? 3 : 0),
    ...patch,
  });
  return [
    sync('fetch-contacts', 'Contact', {
      status: 'RUNNING',
      recordCount: { Contact: 31_704 },
      lastRun: { operationId: 'op-0', startedAt: at(now, -0.7), finishedAt: null, error: null, refusal: null },
      latestResult: {},
      changedSoFar: 12_474,
    }),
    sync('fetch-companies', 'Company', {}),
    sync('fetch-deals', 'Deal', {
      status: 'ERROR',
      frequency: 'every 30min',
      nextRunAt: at(now, 24.5),
      recordCount: { Deal: 2960 },
      lastRun: {
        operationId: 'op-4',
        startedAt: at(now, -7),
        finishedAt: at(now, -6),
        error: 'HubSpot answered 403 on GET /crm/v3/objects/deals',
        refusal: null,
      },
      latestResult: {},
      checkpoint: { after: '2026-11-20T07:04Z' },
    }),
    sync('fetch-deals', 'Deal', {
      variant: 'eu',
      frequency: 'every 30min',
      nextRunAt: at(now, 21.5),
      recordCount: { Deal: 1207 },
      lastRun: { operationId: 'op-2', startedAt: at(now, -10), finishedAt: at(now, -9), error: null, refusal: null },
    }),
    sync('fetch-tickets', 'Ticket', {
      status: 'PAUSED',
      scheduleStatus: 'PAUSED',
      frequency: 'every 6h',
      models: ['Ticket', 'Comment'],
      nextRunAt: null,
      recordCount: { Ticket: 8224 },
      lastRun: {
        operationId: 'op-13',
        startedAt: at(now, -60 * 72),
        finishedAt: at(now, -60 * 72 + 3),
        error: null,
        refusal: null,
      },
    }),
  ];
}

const CODE = `import { createAction } from 'homeport';
import * as z from 'zod';

const Input = z.object({
  subject: z.string(),
  body: z.string(),
  requester: z.string(),
});

const Ticket = z.object({ id: z.number(), url: z.string() });

export default createAction({
  description: 'Creates one ticket in Zendesk',
  version: '1.5.0',
  input: Input,
  output: Ticket,
  scopes: ['tickets:write'],
  exec: async (homeport, input) => {
    const res = await homeport.post({
      endpoint: '/api/v2/tickets.json',
      retries: 3,
      data: { ticket: {
        priority: input.priority,
        subject: input.subject,
        comment: { body: input.body },
      } },
    });
    const t = res.data.ticket;
    return { id: t.id, url: t.url };
  },
});
`;

const SCHEMA = {
  type: 'object',
  properties: { subject: { type: 'string' }, body: { type: 'string' }, requester: { type: 'string' } },
  required: ['subject', 'body', 'requester'],
};

type Fn = [
  key: string,
  type: FunctionDetail['type'],
  name: string,
  frequency: string | null,
  version: string,
  run: ShownOperationState | null,
];

const FUNCTIONS: Fn[] = [
  ['hubspot', 'sync', 'fetch-contacts', 'every 1h', '9', 'running'],
  ['hubspot', 'sync', 'fetch-companies', 'every 1h', '4', 'success'],
  ['hubspot', 'sync', 'fetch-deals', 'every 30min', '12', 'failed'],
  ['hubspot', 'action', 'create-contact', null, '3', 'success'],
  ['hubspot', 'action', 'delete-contact', null, '2', null],
  ['hubspot', 'on-event', 'validate-token', null, '1', 'success'],
  ['xero', 'sync', 'fetch-invoices', 'every 6h', '9', 'failed'],
  ['linear', 'sync', 'fetch-issues', 'every 2h', '7', 'running'],
  ['linear', 'action', 'create-issue', null, '5', 'success'],
  ['zendesk', 'action', 'create-ticket', null, '14', 'success'],
  ['zendesk', 'sync', 'fetch-tickets', 'every 6h', '6', 'cancelled'],
  ['google-drive', 'sync', 'fetch-files', 'every day', '2', 'timeout'],
  ['google-mail', 'action', 'send-message', null, '4', 'success'],
  ['shopify', 'sync', 'fetch-orders', 'every 15min', '8', 'success'],
  ['github', 'sync', 'fetch-pull-requests', 'every 1h', '3', 'success'],
];

const MODELS: Record<string, string[]> = {
  'fetch-contacts': ['Contact'],
  'fetch-companies': ['Company'],
  'fetch-deals': ['Deal'],
  'fetch-invoices': ['Invoice'],
  'fetch-issues': ['Issue'],
  'fetch-tickets': ['Ticket', 'Comment'],
  'fetch-files': ['File'],
  'fetch-orders': ['Order'],
  'fetch-pull-requests': ['PullRequest'],
};

export function seedFunctions(now: number): FunctionDetail[] {
  return FUNCTIONS.map(([integrationKey, type, name, frequency, version, run], index) => {
    const isBroken = name === 'create-ticket';
    const hasTypeError = name === 'fetch-files';
    const problem = isBroken
      ? {
          message: 'Property priority does not exist on { subject, body, requester }',
          code: 'TS2339',
          line: 23,
          column: 25,
        }
      : hasTypeError
        ? { message: "Type 'string' is not assignable to type 'Date'", code: 'TS2322', line: 14, column: 7 }
        : null;
    const folder = type === 'on-event' ? 'on-events' : `${type}s`;
    return {
      integrationKey,
      provider: integrationKey,
      name,
      type,
      isEnabled: name !== 'delete-contact',
      status: isBroken ? 'compile_error' : hasTypeError ? 'type_error' : 'ok',
      problem,
      version,
      frequency,
      models: MODELS[name] ?? [],
      lastRun: run && { operationId: `op-${index}`, at: at(now, -2 - index * 9), state: run },
      updatedAt: at(now, -60 * index),
      description:
        type === 'action' ? 'Creates one ticket in Zendesk' : 'Fetches everything that changed since the last run',
      file: `${integrationKey}/${folder}/${name}.ts`,
      code: CODE,
      problems: problem ? [problem] : [],
      hints: [],
      checkedAt: at(now, -4),
      checkDurationMs: 240,
      scopes: ['tickets:write'],
      inputSchema: type === 'action' ? SCHEMA : null,
      outputSchema: { type: 'object', properties: { id: { type: 'number' }, url: { type: 'string' } } },
      autoStart: true,
      trackDeletes: false,
      origin: 'workspace',
      path: `/home/me/homeport/functions/${integrationKey}/${folder}/${name}.ts`,
      fileHash: `hash of ${name}`,
      runningCode: isBroken ? CODE.replace('priority: input.priority,\n', '') : null,
    };
  });
}

type Op = [
  type: string,
  action: string,
  state: ShownOperationState,
  key: string,
  name: string | null,
  message: string,
  ms: number | null,
];

const OPERATIONS: Op[] = [
  ['sync', 'run', 'running', 'hubspot', 'fetch-contacts', 'Fetching contacts', null],
  ['proxy', 'call', 'success', 'linear', null, 'GET /issues', 212],
  ['action', 'run', 'success', 'linear', 'create-issue', 'Created an issue', 1840],
  ['webhook', 'incoming', 'success', 'hubspot', null, 'deal.updated', 3],
  ['sync', 'run', 'failed', 'xero', 'fetch-invoices', 'Fetching invoices', 7470],
  ['auth', 'refresh_token', 'success', 'google-drive', null, 'Token refreshed', 640],
  ['webhook', 'forward', 'success', 'hubspot', null, 'deal.updated', 92],
  ['sync', 'run', 'success', 'calendly', 'fetch-events', 'Saved 41 events', 2100],
  ['auth', 'refresh_token', 'failed', 'slack', null, 'Token not refreshed', 401],
  ['sync', 'run', 'timeout', 'google-drive', 'fetch-files', 'Fetching files', 300_000],
  ['proxy', 'call', 'success', 'hubspot', null, 'GET /contacts', 187],
  ['proxy', 'call', 'success', 'hubspot', null, 'GET /contacts', 203],
  ['sync', 'run', 'success', 'shopify', 'fetch-orders', 'Saved 88 orders', 4410],
  ['sync', 'run', 'cancelled', 'zendesk', 'fetch-tickets', 'Cancelled by the user', 1120],
  ['action', 'run', 'success', 'google-mail', 'send-message', 'Sent a message', 318],
  ['sync', 'run', 'success', 'linear', 'fetch-issues', 'Saved 12 issues', 2970],
  ['action', 'run', 'success', 'zendesk', 'create-ticket', 'Created a ticket', 612],
];

const ERRORS: Record<string, string> = {
  failed: 'Xero refused page 3 of invoices with 429 three times; 200 records are saved.',
  timeout: 'The run did not end within 5 minutes and was stopped.',
};

export function operation(
  now: number,
  index: number,
  connections: Described[],
  secondsAgo: number,
): OperationDetailResponse {
  const [type, action, state, key, name, message, ms] = OPERATIONS[index % OPERATIONS.length] as Op;
  const owner = connections.find((one) => one.detail.integrationKey === key)?.detail;
  const started = now - secondsAgo * 1000 - ((index * 337) % 1000);
  const error = index % OPERATIONS.length === 8 ? 'Slack rejected the refresh token: invalid_grant.' : ERRORS[state];
  return {
    id: `op-${index}`,
    operation: { type, action },
    state: index >= OPERATIONS.length && state === 'running' ? 'success' : state,
    message,
    integrationName: key,
    providerName: key,
    connectionName: owner?.connectionId ?? null,
    endUserName: owner?.displayName ?? null,
    syncConfigName: name,
    trigger: type === 'sync' ? 'schedule' : 'api',
    sessionId: null,
    error:
      error && (state === 'failed' || state === 'timeout')
        ? {
            name: 'HttpError',
            message: error,
            type: state === 'failed' ? 'script_http_error' : 'execution_timeout',
            payload: { stacktrace: [`HttpError: ${error}`, `    at run (${name ?? 'index'}.ts:3:9)`] },
          }
        : null,
    createdAt: new Date(started).toISOString(),
    startedAt: new Date(started).toISOString(),
    endedAt: ms === null ? null : new Date(started + ms).toISOString(),
    durationMs: ms ?? (index >= OPERATIONS.length ? 1420 : null),
    cpuMs: name === null || (ms === null && index < OPERATIONS.length) ? null : Math.round((ms ?? 1420) / 9) + 3.4,
    memoryBytes: name === null || (ms !== null && ms < 100) ? null : 18_400_000 + (index % 40) * 310_000,
    recordsChanged: type === 'sync' ? 200 + index * 40 : 0,
    recordsAdded: type === 'sync' ? 180 + index * 30 : 0,
    recordsUpdated: type === 'sync' ? 17 + index * 9 : 0,
    recordsDeleted: type === 'sync' ? 3 + index : 0,
    variant: type === 'sync' ? (index % 4 === 3 ? 'eu' : 'base') : null,
    httpCalls: type === 'proxy' ? 1 : 3,
    actor: null,
    meta: { version: '9', variant: 'base' },
    expiresAt: at(now, 60 * 24 * 15),
    integrationTitle: null,
    recordedLevel: 'warn',
  };
}

/** Calls of an integration by hour: more during the day, a few failures, none for an integration without connections. */
export function callHoursOf({ key, lastUsedAt }: IntegrationDetail): Array<{ calls: number; failed: number }> {
  const weight = lastUsedAt === null ? 0 : key.length * 3;
  return Array.from({ length: 24 }, (_, hour) => {
    const calls = Math.round(weight * (1 + Math.sin((hour + key.length) / 4)));
    return { calls, failed: key === 'xero' && hour % 7 === 3 ? Math.round(calls / 5) : 0 };
  });
}

/** How the runs of the last week ended. */
export function weekOf({ type, lastRun }: FunctionDetail, index: number): FunctionListItem['week'] {
  if (lastRun === null) return null;
  const runs = 40 + index * 17;
  const failed = lastRun.state === 'success' ? index % 3 : 9;
  return { runs, succeeded: runs - failed, p95Ms: (type === 'sync' ? 2600 : 180) + index * 40 };
}

type Msg = [
  ms: number,
  type: MessageListItem['type'],
  level: MessageListItem['level'],
  text: string,
  code: number | null,
  source: MessageListItem['source'],
];

const MESSAGES: Msg[] = [
  [1, 'log', 'info', 'Started by schedule from checkpoint 03:02Z', null, 'internal'],
  [432, 'http', 'info', 'GET /Invoices?page=1', 200, 'internal'],
  [952, 'http', 'info', 'GET /Invoices?page=2', 200, 'internal'],
  [1020, 'log', 'info', 'Saved 200 Invoice: 14 added, 3 updated', null, 'internal'],
  [1100, 'log', 'debug', 'Next page token is 3', null, 'user'],
  [1170, 'http', 'warn', 'GET /Invoices?page=3', 429, 'internal'],
  [3310, 'http', 'warn', 'GET /Invoices?page=3', 429, 'internal'],
  [7450, 'http', 'warn', 'GET /Invoices?page=3', 429, 'internal'],
  [7471, 'log', 'error', 'Gave up after 3 attempts', null, 'internal'],
];

export function seedMessages(operationRow: OperationDetailResponse): MessageListItem[] {
  const start = Date.parse(operationRow.createdAt);
  return MESSAGES.map(([ms, type, level, message, code, source], index) => ({
    id: `${operationRow.id}-m${index}`,
    createdAt: new Date(start + ms).toISOString(),
    level,
    type,
    source,
    context: 'script',
    message,
    durationMs: type === 'http' ? 412 : message.startsWith('Saved') ? 64 : null,
    error: null,
    request: type === 'http' ? { method: 'GET', url: message.slice(4), headers: { accept: 'application/json' } } : null,
    response: code === null ? null : { code, headers: { 'retry-after': '2' } },
    recordingId: code === 200 ? `${operationRow.id}-r${index}` : null,
    retry: code === 429 ? { attempt: index - 4, max: 3, waitedMs: index < 7 ? 1700 : 0 } : null,
    meta: null,
    persistResults: message.startsWith('Saved')
      ? { model: 'Invoice', added: 14, updated: 3, deleted: 0, unchanged: 183 }
      : null,
  }));
}
