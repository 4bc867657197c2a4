import type { ConnectionDetail } from '../../server/connections/dashboard-connections.contract.ts';
import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { FunctionTestResult } from '../../server/functions/dashboard-function-tests.contract.ts';
import type {
  IntegrationDetail,
  ShownIntegrationChange,
} from '../../server/integrations/dashboard-integrations.contract.ts';
import type { OperationListItem } from '../../server/log/dashboard-logs.contract.ts';
import { matchesLogQuery, parseLogQuery } from '../../server/log/log-query.contract.ts';
import { FIXTURE_AGENT_CALLS, FIXTURE_LIMITED, FIXTURE_PROGRAMS, fixtureSessions } from './dashboard-fixture-agents.ts';
import { appsHandlers } from './dashboard-fixture-apps.ts';
import { bulkHandlers } from './dashboard-fixture-bulk.ts';
import { dataHandlers } from './dashboard-fixture-data.ts';
import { describedHandlers } from './dashboard-fixture-descriptions.ts';
import { destinationHandlers } from './dashboard-fixture-destinations.ts';
import { DRIFT_OFF, driftResult } from './dashboard-fixture-drift.ts';
import { fixtureDiff, fixtureVersions } from './dashboard-fixture-history.ts';
import { FixtureRefusal, groupedPage, type Handler, has, need, page, within } from './dashboard-fixture-lists.ts';
import { overviewHandlers } from './dashboard-fixture-overview.ts';
import { playgroundHandlers } from './dashboard-fixture-playground.ts';
import { FIXTURE_VIEWS, fixtureAnswer, savedQueryHandlers } from './dashboard-fixture-queries.ts';
import { callHoursOf, integration, seedMessages, weekOf } from './dashboard-fixture-seeds.ts';
import { snapshotHandlers } from './dashboard-fixture-snapshots.ts';
import type { FixtureState } from './dashboard-fixture-state.ts';
import { syncHandlers } from './dashboard-fixture-syncs.ts';
import { templateHandlers } from './dashboard-fixture-templates.ts';
import { trafficHandlers } from './dashboard-fixture-traffic.ts';
import { webhookHandlers } from './dashboard-fixture-webhooks.ts';

const recordOf = (state: FixtureState, id: string) => need(state.records.find(({ detail }) => detail.id === id));

const connectionOf = (state: FixtureState, params: { integrationKey: string; connectionId: string }) =>
  need(
    state.connections.find(
      ({ detail }) => detail.integrationKey === params.integrationKey && detail.connectionId === params.connectionId,
    ),
  );
const integrationOf = (state: FixtureState, key: string) => need(state.integrations.find((one) => one.key === key));
const functionOf = (state: FixtureState, ref: { integrationKey: string; type: string; name: string }) =>
  need(
    state.functions.find(
      (fn) => fn.integrationKey === ref.integrationKey && fn.type === ref.type && fn.name === ref.name,
    ),
  );

/** As in the hub: one row for each difference. */
function recordChange(
  state: FixtureState,
  one: IntegrationDetail,
  body: { displayName?: string | undefined; config?: Record<string, string | null> | undefined },
): void {
  const fields: ShownIntegrationChange['fields'] = [];
  const note = (field: string, before: string | null, after: string | null, isSecret = false): void => {
    if (isSecret || before !== after)
      fields.push({ field, isSecret, before: isSecret ? null : before, after: isSecret ? null : after });
  };
  if (body.displayName !== undefined) note('displayName', one.displayName, body.displayName);
  for (const [name, value] of Object.entries(body.config ?? {}))
    note(`config.${name}`, one.config[name] ?? null, value, name.includes('secret'));
  if (fields.length === 0) return;
  const names = fields.map(({ field }) => field);
  for (const older of state.integrationChanges)
    older.changedSince = older.fields.map(({ field }) => field).filter((field) => names.includes(field));
  const id = state.integrationChanges.length + 1;
  state.integrationChanges.unshift({ id, at: new Date().toISOString(), isUndo: false, fields, changedSince: [] });
}

/** The filters that a list and its counts have in common. */
const fitsConnection = (
  query: Partial<Record<'integrations' | 'authModes' | 'tags', string[] | undefined>> & { search?: string | undefined },
  { authMode, connectionId, displayName, email, integrationKey, tags }: ConnectionDetail,
): boolean =>
  has(query.search, connectionId, displayName, email) &&
  within(query.integrations, integrationKey) &&
  within(query.authModes, authMode) &&
  within(query.tags, ...Object.entries(tags).map(([name, value]) => `${name}: ${value}`));

function importConnection(
  state: FixtureState,
  key: string,
  id: string,
  patch: Partial<ConnectionDetail> = {},
): ConnectionDetail {
  const owner = integrationOf(state, key);
  const moment = new Date().toISOString();
  const detail: ConnectionDetail = {
    connectionId: id,
    integrationKey: key,
    integrationName: owner.displayName,
    provider: owner.provider,
    authMode: owner.authMode,
    displayName: null,
    email: null,
    tags: {},
    status: 'ok',
    isRunning: false,
    errors: [],
    lastError: null,
    syncCount: 0,
    pausedSyncCount: 0,
    recordCount: 0,
    tokenExpiresAt: null,
    isRefreshable: false,
    lastUsedAt: null,
    createdAt: moment,
    endUser: null,
    credentials: [{ name: 'api_key', title: 'API key', isSecret: true, value: null }],
    scopes: [],
    connectionConfig: {},
    metadata: {},
    isTestable: true,
    lastRefresh: null,
    nextRefreshAt: null,
    usedBy: [],
    webhookUrl: null,
    logLevel: null,
    updatedAt: moment,
    ...patch,
  };
  state.connections.unshift({ detail, secrets: { api_key: 'practice-demo-key' } });
  owner.connectionCount += 1;
  return detail;
}

const OWN_CALLBACK = 'http://localhost:3003/oauth/callback';
const callbackOf = ({ callbackUrl }: FixtureState) => ({
  callbackUrl: callbackUrl ?? OWN_CALLBACK,
  setting: callbackUrl,
  ownUrl: OWN_CALLBACK,
  webhookBase: 'http://localhost:3003/webhook/7a1f0000-0000-4000-8000-000000000000/',
  port: 3003,
});

function isWithin(period: string | undefined, ms: number): boolean {
  const [from = '', to = ''] = (period ?? ',').split(',');
  return (from === '' || ms >= Number(from)) && (to === '' || ms <= Number(to));
}

type ListName = 'states' | 'types' | 'integrations' | 'connections' | 'syncs';
type OperationFilter = { [Name in ListName]?: string[] | undefined } & {
  id?: string | undefined;
  search?: string | undefined;
  period?: string | undefined;
};

function operationsOf(state: FixtureState, filter: OperationFilter) {
  const query = parseLogQuery(filter.search ?? '');
  return state.operations.filter(({ operation: { type, action }, ...row }) => {
    const types = [type, `${type}:${action}`];
    const queried = {
      ...{ state: row.state, types, integration: row.integrationName, connection: row.connectionName },
      ...{ function: row.syncConfigName, trigger: row.trigger, session: row.sessionId, durationMs: row.durationMs },
      texts: [row.id, row.message, row.syncConfigName, row.integrationName, row.endUserName],
    };
    return (
      (filter.id === undefined || filter.id === row.id) &&
      isWithin(filter.period, Date.parse(row.createdAt)) &&
      within(filter.states, row.state) &&
      within(filter.types, ...types) &&
      within(filter.integrations, row.integrationName) &&
      within(filter.connections, row.connectionName) &&
      within(filter.syncs, row.syncConfigName) &&
      matchesLogQuery(queried, query)
    );
  });
}

/** The dashboard API over the fixture's state; one entry per route of the contract. */
export const fixtureHandlers: { [K in DashboardRouteKey]: Handler<K> } = {
  'POST /api/v1/session': ({ body }, state) => {
    if (body.code !== '123456')
      throw new FixtureRefusal(401, 'invalid_code', 'The code is wrong or older than two minutes.');
    state.isLocked = false;
    return { success: true, csrfToken: 'fixture' };
  },
  'DELETE /api/v1/session': (_, state) => {
    state.isLocked = true;
    return { success: true };
  },
  'GET /api/v1/sessions': (_, state) => ({ data: state.sessions }),
  'DELETE /api/v1/sessions': (_, state) => {
    const kept = state.sessions.filter(({ isCurrent }) => isCurrent);
    const ended = state.sessions.length - kept.length;
    state.sessions = kept;
    return { ended };
  },
  'DELETE /api/v1/sessions/:sessionId': ({ params }, state) => {
    need(state.sessions.find(({ id }) => id === params.sessionId));
    state.sessions = state.sessions.filter(({ id }) => id !== params.sessionId);
    return { success: true };
  },
  'GET /api/v1/meta': (_, state) => ({
    version: '0.1.0',
    apiUrl: 'http://127.0.0.1:3003',
    callbackUrl: 'http://localhost:3003/oauth/callback',
    functionsFolder: '~/homeport/functions',
    environments: state.environments,
    machine: { platform: 'linux', arch: 'x64' },
    lastEventIds: {},
    health: {
      vault: 'unlocked',
      vaultSource: 'keychain',
      autoLockMinutes: null,
      running: state.integrations.length > 0 ? 2 : 0,
      queued: 0,
      tunnelUrl: null,
      dataProblem: null,
      unstoredTokens: 0,
      pausedSchedules: null,
    },
  }),
  'GET /api/v1/providers': (_, state) => ({ data: state.providers }),
  'GET /api/v1/providers/:provider': ({ params }, state) =>
    need(state.providers.find((one) => one.name === params.provider)),
  ...appsHandlers,
  'GET /api/v1/provider-changes': () => ({ data: [] }),
  'GET /api/v1/provider-entries': () => ({ problems: [], warnings: [] }),
  'POST /api/v1/provider-entries/check': ({ body: { text } }) => ({
    entries: [...text.matchAll(/^([a-z0-9-]+):/gm)].map(([, name = '']) => ({
      name,
      displayName: name,
      authMode: 'API_KEY',
      baseUrl: null,
      source: 'workspace' as const,
      isThere: false,
    })),
    problems: [],
    warnings: [],
  }),
  'POST /api/v1/provider-entries/import': () => need<never>(undefined),
  'POST /api/v1/provider-entries/propose': ({ body: { address = '', auth = 'key' } }) => ({
    provider: 'acme',
    text: `acme:\n  # Written from the API description "Acme API 1", ${address}.\n  display_name: Acme\n  auth_mode: ${auth === 'key' ? 'API_KEY' : 'OAUTH2'}\n`,
    open: [{ keyPath: 'docs', reason: 'The description names no page of documentation.' }],
    choices: [
      { name: 'key', label: 'API key in the header X-Key', isChosen: auth === 'key' },
      { name: 'oauth', label: 'OAuth 2 with a sign-in page', isChosen: auth === 'oauth' },
    ],
    operationCount: 12,
  }),
  'POST /api/v1/provider-entries/try': () => need<never>(undefined),
  'GET /api/v1/provider-entries/:provider': () => need<never>(undefined),
  'PUT /api/v1/provider-entries/:provider': () => need<never>(undefined),
  'DELETE /api/v1/provider-entries/:provider': () => need<never>(undefined),
  'POST /api/v1/transfer/export': () => need<never>(undefined),
  'POST /api/v1/transfer/archive': () => need<never>(undefined),
  'POST /api/v1/transfer/preview': () => need<never>(undefined),
  'POST /api/v1/transfer/import': () => need<never>(undefined),
  'POST /api/v1/transfer/send': () => need<never>(undefined),
  'POST /api/v1/transfer/check-connections': () => need<never>(undefined),
  'POST /api/v1/providers/:provider/approve': () => need<{ success: true }>(undefined),

  'GET /api/v1/integrations': ({ query }, state) =>
    page(
      state.integrations
        .filter(
          (one) =>
            has(query.search, one.displayName, one.key, one.provider) &&
            within(query.authModes, one.authMode) &&
            within(
              query.categories,
              ...(state.providers.find(({ name }) => name === one.provider)?.categories ?? []),
            ) &&
            (!query.having?.includes('errors') || one.errorCount + one.missingFields.length > 0) &&
            (!query.having?.includes('functions') || one.functionCount > 0),
        )
        .map((one) => ({ ...one, callHours: callHoursOf(one) })),
      query,
      {
        name: (one) => one.displayName.toLowerCase(),
        key: (one) => one.key,
        provider: (one) => one.provider,
        authMode: (one) => one.authMode,
        connections: (one) => one.connectionCount,
        errors: (one) => one.errorCount,
        functions: (one) => one.functionCount,
        calls: (one) => one.callHours.reduce((sum, { calls }) => sum + calls, 0),
        used: (one) => one.lastUsedAt ?? '',
        created: (one) => one.createdAt,
        updated: (one) => one.updatedAt,
      },
    ),
  'POST /api/v1/integrations': ({ body }, state) => {
    if (state.integrations.some((one) => one.key === body.key))
      throw new FixtureRefusal(409, 'conflict', 'An integration with this ID exists.');
    const provider = need(state.providers.find((one) => one.name === body.provider));
    const made = {
      ...integration(Date.now(), provider, body.key),
      displayName: body.displayName ?? provider.displayName,
      lastUsedAt: null,
    };
    made.config = { ...body.config };
    delete made.config['client_secret'];
    state.integrations.push(made);
    return made;
  },
  'POST /api/v1/integrations/:integrationKey/duplicate': ({ params, query, body }, state) => {
    const source = integrationOf(state, params.integrationKey);
    const isHere = body.environment === query.env;
    if (isHere && state.integrations.some((one) => one.key === body.key))
      throw new FixtureRefusal(409, 'conflict', `There is already an integration "${body.key}".`);
    const made = { ...source, key: body.key, connectionCount: 0, errorCount: 0, lastUsedAt: null };
    if (isHere) state.integrations.push(made);
    return made;
  },
  'GET /api/v1/integrations/:integrationKey': ({ params }, state) => integrationOf(state, params.integrationKey),
  'PATCH /api/v1/integrations/:integrationKey': ({ params, body }, state) => {
    const one = integrationOf(state, params.integrationKey);
    const { config, ...rest } = body;
    recordChange(state, one, body);
    Object.assign(one, rest);
    for (const [name, value] of Object.entries(config ?? {})) {
      if (name.includes('secret')) continue;
      if (value === null) delete one.config[name];
      else one.config[name] = value;
    }
    return one;
  },
  'GET /api/v1/integrations/:integrationKey/drift-watch': (_, state) => state.driftWatch,
  'PUT /api/v1/integrations/:integrationKey/drift-watch': ({ body }, state) => {
    state.driftWatch = { ...DRIFT_OFF, connectionId: body.connectionId, nextAt: new Date(state.now).toISOString() };
    return state.driftWatch;
  },
  'POST /api/v1/integrations/:integrationKey/drift-watch/run': (_, state) => {
    state.driftWatch = { ...state.driftWatch, ...driftResult(state.now) };
    return state.driftWatch;
  },
  'DELETE /api/v1/integrations/:integrationKey/drift-watch': (_, state) => {
    state.driftWatch = DRIFT_OFF;
    return { success: true };
  },
  'GET /api/v1/integrations/:integrationKey/changes': (_, state) => ({ data: state.integrationChanges }),
  'POST /api/v1/integrations/:integrationKey/changes/:changeId/undo': ({ params }, state) => {
    const one = integrationOf(state, params.integrationKey);
    const change = need(state.integrationChanges.find(({ id }) => id === Number(params.changeId)));
    for (const { field, before } of change.fields) {
      if (field === 'displayName') one.displayName = before ?? one.provider;
      if (field.startsWith('config.')) one.config[field.slice(7)] = before ?? '';
    }
    change.changedSince = change.fields.map(({ field }) => field);
    const fields = change.fields.map((own) => ({ ...own, before: own.after, after: own.before }));
    const id = state.integrationChanges.length + 1;
    state.integrationChanges.unshift({ id, at: new Date().toISOString(), isUndo: true, fields, changedSince: [] });
    return one;
  },
  'DELETE /api/v1/integrations/:integrationKey': ({ params }, state) => {
    state.integrations = state.integrations.filter((one) => one.key !== params.integrationKey);
    state.connections = state.connections.filter(({ detail }) => detail.integrationKey !== params.integrationKey);
    return { success: true };
  },

  'GET /api/v1/connections': ({ query }, state) => {
    const rows = state.connections
      .map((one) => one.detail)
      .filter(
        (one) => fitsConnection(query, one) && within(query.status, one.status, one.errors.length > 0 ? 'error' : null),
      );
    return groupedPage(rows, query, {
      name: (one) => (one.displayName ?? one.connectionId).toLowerCase(),
      integration: (one) => one.integrationName,
      id: (one) => one.connectionId,
      status: (one) => one.status,
      syncs: (one) => one.syncCount,
      records: (one) => one.recordCount,
      expires: (one) => one.tokenExpiresAt ?? '9',
      used: (one) => one.lastUsedAt ?? '',
      created: (one) => one.createdAt,
    });
  },
  'GET /api/v1/connections/count': ({ query }, state) => {
    const rows = state.connections.map((one) => one.detail).filter((one) => fitsConnection(query, one));
    const count = (status: string): number => rows.filter((one) => one.status === status).length;
    return {
      total: rows.length,
      ok: count('ok'),
      auth_error: count('auth_error'),
      sync_error: count('sync_error'),
      paused: count('paused'),
    };
  },
  'POST /api/v1/connections': ({ body }, state) =>
    importConnection(state, body.provider_config_key, body.connection_id ?? crypto.randomUUID(), {
      metadata: body.metadata ?? {},
      displayName: body.end_user?.display_name ?? null,
      email: body.end_user?.email ?? null,
    }),
  'GET /api/v1/connections/:integrationKey/:connectionId': ({ params }, state) => connectionOf(state, params).detail,
  'PATCH /api/v1/connections/:integrationKey/:connectionId': ({ params, body: { tagChange, ...body } }, state) => {
    const { detail } = connectionOf(state, params);
    const { set = {}, remove = [] } = tagChange ?? {};
    const kept = Object.entries(detail.tags).filter(([name]) => !remove.includes(name));
    const tags = { ...Object.fromEntries(kept), ...set };
    if (Object.keys(tags).length > 10)
      throw new FixtureRefusal(400, 'invalid_body', 'A connection holds at most 10 tags.');
    if (body.displayName !== undefined && detail.endUser) detail.endUser.displayName = body.displayName;
    return Object.assign(detail, { tags }, body, { updatedAt: new Date().toISOString() });
  },
  'DELETE /api/v1/connections/:integrationKey/:connectionId': ({ params }, state) => {
    const gone = connectionOf(state, params);
    state.connections = state.connections.filter((one) => one !== gone);
    return { success: true };
  },
  'POST /api/v1/connections/:integrationKey/:connectionId/refresh': ({ params }, state) =>
    connectionOf(state, params).detail,
  'GET /api/v1/practice/failure': () => ({ failure: null }),
  'PUT /api/v1/practice/failure': ({ body: { kind, minutes } }) => {
    const now = Date.now();
    return {
      failure: { kind, startedAt: new Date(now).toISOString(), endsAt: new Date(now + minutes * 60_000).toISOString() },
    };
  },
  'DELETE /api/v1/practice/failure': () => ({ success: true }),
  'POST /api/v1/practice': (_, state) => {
    if (!state.integrations.some((one) => one.key === 'practice')) {
      const provider = need(state.providers.find((one) => one.name === 'practice'));
      state.integrations.push(integration(Date.now(), provider, 'practice'));
      importConnection(state, 'practice', 'practice-demo', { displayName: 'Practice user' });
    }
    return { integrationKey: 'practice', connectionId: 'practice-demo' };
  },
  'POST /api/v1/practice/sign-in': ({ body }) => ({ integrationKey: body.integrationKey ?? 'practice-oauth2' }),

  'GET /api/v1/callback': (_, state) => callbackOf(state),
  'PATCH /api/v1/callback': ({ body }, state) => {
    state.callbackUrl = body.callbackUrl;
    for (const one of state.integrations) one.callbackUrl = callbackOf(state).callbackUrl;
    return callbackOf(state);
  },
  'POST /api/v1/callback/check': () => ({ found: 'own' }),

  ...syncHandlers,
  'GET /api/v1/connections/:integrationKey/:connectionId/models': ({ params }, state) => {
    connectionOf(state, params);
    return {
      data: [
        {
          model: 'Invoice',
          variant: 'base',
          count: state.records.length,
          lastModifiedAt: state.records[0]?.detail.modifiedAt ?? null,
          fields: [],
        },
        {
          model: 'Deal',
          variant: 'eu',
          count: 1207,
          lastModifiedAt: state.records[3]?.detail.modifiedAt ?? null,
          fields: [],
        },
      ].filter(() => state.records.length > 0),
    };
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/records': ({ query }, state) => {
    const rows = state.records
      .map(({ detail: { payload: _, ...row }, preview }) => ({ ...row, preview }))
      .filter((row) => query.at === undefined || row.modifiedAt <= query.at)
      .filter(({ modifiedAt }) => isWithin(query.period, Date.parse(modifiedAt)))
      .filter((row) => has(query.search, row.id, String(row.preview['contact'])) && within(query.actions, row.action));
    const sorts = {
      id: (row: (typeof rows)[0]) => row.id,
      action: (row: (typeof rows)[0]) => row.action,
      modified: (row: (typeof rows)[0]) => row.modifiedAt,
    };
    return { ...page(rows, query, sorts), lost: query.at === undefined ? 0 : 3 };
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId': ({ params }, state) =>
    recordOf(state, params.recordId).detail,
  'GET /api/v1/records/:recordId': ({ params }, state) => ({
    data: state.connections
      .slice(0, state.records.some(({ detail }) => detail.id === params.recordId) ? 2 : 0)
      .map(({ detail: { integrationKey, connectionId } }) => ({
        integrationKey,
        connectionId,
        model: 'Invoice',
        variant: 'base',
      })),
  }),
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/versions': ({ params }, state) => ({
    data: fixtureVersions(recordOf(state, params.recordId)),
  }),
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/diff': ({ params, query }, state) =>
    fixtureDiff(recordOf(state, params.recordId), query),
  'GET /api/v1/connections/:integrationKey/:connectionId/history': (_, state) => ({
    ...state.history,
    sync: 'invoices',
    since: state.history.isOn ? new Date(state.now - 12 * 86_400_000).toISOString() : null,
    moments: state.history.isOn
      ? [11, 9, 6, 3, 0.04].map((days) => new Date(state.now - days * 86_400_000).toISOString())
      : [],
    versions: state.history.isOn ? 9120 : 0,
    bytes: state.history.isOn ? 4_812_000 : 0,
  }),
  'PUT /api/v1/functions/:integrationKey/sync/:name/history': ({ body: { isOn } }, state) =>
    Object.assign(state.history, { isOn }),

  'GET /api/v1/functions/missing': () => ({ functions: [], isHeld: false, isFolderGone: false }),
  'POST /api/v1/functions/missing/confirm': () => ({ functions: [], isHeld: false, isFolderGone: false }),
  'POST /api/v1/functions/missing/prune': () => ({ removed: 0 }),
  'GET /api/v1/functions/:integrationKey/:type/:name/tests': () => ({ problem: null, tests: [], generatedTest: null }),
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/run': () => ({ data: [] }),
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/update': () => need<FunctionTestResult>(undefined),
  'GET /api/v1/functions': ({ query }, state) =>
    groupedPage(
      state.functions
        .filter(
          (fn) =>
            has(query.search, fn.name, fn.description) &&
            within(query.integrations, fn.integrationKey) &&
            within(query.types, fn.type) &&
            within(query.status, fn.status),
        )
        .map((fn, index) => ({ ...fn, isInIndex: true, week: weekOf(fn, index) })),
      query,
      {
        name: (fn) => fn.name,
        integration: (fn) => fn.integrationKey,
        type: (fn) => fn.type,
        status: (fn) => fn.status,
        lastRun: (fn) => fn.lastRun?.at ?? '',
        success: (fn) => (fn.week ? fn.week.succeeded / fn.week.runs : -1),
        p95: (fn) => fn.week?.p95Ms ?? -1,
        updated: (fn) => fn.updatedAt,
      },
    ),
  'GET /api/v1/functions/:integrationKey/:type/:name': ({ params }, state) => functionOf(state, params),
  'PATCH /api/v1/functions/:integrationKey/:type/:name': ({ params, body }, state) => {
    const found = functionOf(state, params);
    const isChanged = found.isEnabled !== body.isEnabled;
    return { ...Object.assign(found, body), isChanged };
  },

  ...templateHandlers,

  ...overviewHandlers,
  ...playgroundHandlers,
  ...trafficHandlers,
  'GET /api/v1/logs/operations': ({ query }, state) =>
    groupedPage(
      operationsOf(state, query).map((row) => ({
        ...row,
        ...{ status: row.state, integrationKey: row.integrationName ?? '(none)', provider: row.providerName },
      })),
      query,
      { time: (row) => row.createdAt, duration: (row) => row.durationMs },
    ),
  'GET /api/v1/logs/histogram': ({ query }, state) => {
    const { from, to } = query;
    const bucketMs = Math.ceil((to - from) / 60_000 / 100) * 60_000;
    const buckets = Array.from({ length: Math.ceil((to - from) / bucketMs) }, (_, index) => ({
      at: new Date(from + index * bucketMs).toISOString(),
      states: {} as Partial<Record<OperationListItem['state'], number>>,
    }));
    for (const { createdAt, state: its } of operationsOf(state, { ...query, period: `${from},${to}` })) {
      const bucket = buckets[Math.floor((Date.parse(createdAt) - from) / bucketMs)];
      if (bucket) bucket.states[its] = (bucket.states[its] ?? 0) + 1;
    }
    return { bucketMs, buckets, end: new Date(from + buckets.length * bucketMs).toISOString() };
  },
  'GET /api/v1/logs/operations/:operationId': ({ params }, state) =>
    need(state.operations.find((one) => one.id === params.operationId)),
  'GET /api/v1/logs/messages': ({ query }, state) => {
    const owner = need(state.operations.find((one) => one.id === query.operationId));
    const rows = seedMessages(owner).filter(
      (row) =>
        has(query.search, row.message) &&
        within(query.levels, row.level) &&
        within(query.types, row.type) &&
        within(query.sources, row.source),
    );
    return page(rows, query, { time: (row) => row.createdAt });
  },

  'GET /api/v1/logs/har': () => ({
    log: { version: '1.2', creator: { name: 'Homeport', version: '0.1.0' }, entries: [], comment: '' },
  }),
  'POST /api/v1/connect-sessions': (_call, state) => ({
    token: `nango_connect_session_${'0'.repeat(64)}`,
    link: `http://localhost:3003/connect/?session_token=nango_connect_session_${'0'.repeat(64)}`,
    expiresAt: new Date(state.now + 30 * 60_000).toISOString(),
  }),
  // No test calls a tool of the fixture.
  'GET /api/v1/mcp/approvals-target': (_, { settings: { approvals } }) => ({
    source: approvals.url === null ? 'none' : 'settings',
    kind: approvals.kind,
    url: approvals.url,
    arePublic: approvals.public,
    isPublicFixed: false,
    base: 'http://localhost:3003',
    hasPublicUrl: false,
    lastSent: null,
  }),
  'POST /api/v1/mcp/approvals-target/test': () => ({ status: 200, durationMs: 40, problem: null }),
  'GET /api/v1/mcp/approvals': () => ({ data: [] }),
  'POST /api/v1/mcp/approvals/:approvalId': () => need<{ success: true }>(undefined),
  'GET /api/v1/mcp/decisions': () => ({ data: [] }),
  'PUT /api/v1/mcp/decisions': () => ({ success: true }),
  'DELETE /api/v1/mcp/decisions': () => ({ success: true }),
  'GET /api/v1/mcp/calls': () => ({ data: [] }),
  'GET /api/v1/record-views': () => ({ data: FIXTURE_VIEWS }),
  'POST /api/v1/records/query': ({ body }) => fixtureAnswer(body.sql),
  ...describedHandlers,
  ...destinationHandlers,
  ...savedQueryHandlers,
  ...snapshotHandlers,
  'GET /api/v1/limits': () => ({
    data: FIXTURE_LIMITED,
  }),
  'PUT /api/v1/limits': () => need<never>(undefined),
  'GET /api/v1/mcp/clients': () => ({ data: [] }),
  'POST /api/v1/mcp/clients': () => need<never>(undefined),
  'DELETE /api/v1/mcp/clients/:clientId': () => need<never>(undefined),
  'GET /api/v1/mcp/tools': () => ({ data: [] }),
  'GET /api/v1/agents/programs': () => ({ data: FIXTURE_PROGRAMS }),
  'GET /api/v1/agents/programs/:program/change': () => need<never>(undefined),
  'PUT /api/v1/agents/programs/:program': () => need<never>(undefined),
  'DELETE /api/v1/agents/programs/:program': () => need<never>(undefined),
  'GET /api/v1/agents/offers': () => ({ data: [] }),
  'GET /api/v1/agents/sessions': (_, state) => ({ data: fixtureSessions(state.now) }),
  'POST /api/v1/agents/sessions': () => need<never>(undefined),
  'PATCH /api/v1/agents/sessions/:sessionId': () => need<never>(undefined),
  'GET /api/v1/agents/sessions/:sessionId/calls': () => ({ data: FIXTURE_AGENT_CALLS }),
  'POST /api/v1/agents/sessions/:sessionId/calls/:callId/undo': () => need<never>(undefined),
  'DELETE /api/v1/agents/sessions/:sessionId': () => need<never>(undefined),
  'GET /api/v1/command-runs': (_, { now }) => ({
    data: [
      {
        id: 'r1',
        command: 'gh issue list --repo octo/parser',
        connections: [{ integrationKey: 'github', connectionId: 'octo' }],
        sessionId: null,
        startedAt: new Date(now - 95_000).toISOString(),
        operationId: 'op-run-1',
        requests: 12,
        refusals: 1,
      },
    ],
  }),
  'POST /api/v1/command-runs': () => need<never>(undefined),
  'POST /api/v1/command-runs/:runId/stop': () => ({ success: true }),
  'DELETE /api/v1/command-runs/:runId': () => need<never>(undefined),
  'GET /api/v1/agent-sign-ins/:requestId': () => need<never>(undefined),
  'POST /api/v1/agent-sign-ins/:requestId/approve': () => need<never>(undefined),
  'POST /api/v1/agent-sign-ins/:requestId/deny': () => need<never>(undefined),

  ...webhookHandlers,
  ...bulkHandlers,
  ...dataHandlers,

  'POST /api/v1/reveal': ({ body }, state) => {
    if (body.kind === 'secret_key') return { value: '5f1c2e0a-7b34-4d52-9a86-0c1f6e4d2b90' };
    if (body.kind === 'signing_key') return { value: state.signingKey };
    if (body.kind === 'variable') return { value: `value of ${body.name}` };
    if (body.kind === 'otlp_header') return { value: `value of ${body.name}` };
    if (body.kind === 'integration') return { value: `${body.integrationKey}-client-secret` };
    return { value: need(connectionOf(state, body).secrets[body.field]) };
  },
};
