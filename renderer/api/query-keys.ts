interface Connection {
  integrationKey: string;
  connectionId: string;
}

/** Prefix of every key of an environment, so that environments never mix and a reset reaches all keys of one. */
const environment = (env: string) => ['environment', env] as const;
const integrations = (env: string) => [...environment(env), 'integrations'] as const;
const connections = (env: string) => [...environment(env), 'connections'] as const;
const connection = (env: string, { integrationKey, connectionId }: Connection) =>
  [...environment(env), 'connection', integrationKey, connectionId] as const;
const functions = (env: string) => [...environment(env), 'functions'] as const;
const runs = (env: string) => [...environment(env), 'runs'] as const;
const operation = (env: string, id: string) => [...environment(env), 'operation', id] as const;
const records = (env: string, ref: Connection, model: string) => [...connection(env, ref), 'records', model] as const;
const history = (env: string, ref: Connection, model: string) => [...connection(env, ref), 'history', model] as const;
const activity = (env: string) => [...environment(env), 'activity'] as const;
const playgroundInputs = (env: string) => [...environment(env), 'playground-inputs'] as const;
const playgroundHistories = (env: string) => [...environment(env), 'playground-history'] as const;
const mcp = (env: string) => [...environment(env), 'mcp'] as const;
const mcpTools = (env: string) => [...mcp(env), 'tools'] as const;

/**
 * Every key of the query cache. A key holds everything its response depends on. Invalidating a key also invalidates all
 * keys that begin with it, so the plural of a noun stands for its lists, counts and searches.
 */
export const keys = {
  meta: ['meta'] as const,
  /** The id of the newest event of an environment; no request fills it. */
  lastEvent: (env: string) => ['last-event', env] as const,
  /** The data folder, which all environments share. */
  data: ['data'] as const,
  masterKey: ['data', 'key'] as const,
  traffic: ['traffic'] as const,
  filterValues: (env: string, of: string, search: string, integration?: string) =>
    [...environment(env), 'filter-values', of, search, integration] as const,
  apiDocument: ['api-document'] as const,
  diagnostics: ['diagnostics'] as const,
  desktopUpdate: ['desktop-update'] as const,
  desktopSettings: ['desktop-settings'] as const,
  desktopDiagnostics: ['desktop-diagnostics'] as const,
  desktopVersion: ['desktop-version'] as const,
  sessions: ['sessions'] as const,
  providers: ['providers'] as const,
  provider: (provider: string | undefined) => ['providers', provider] as const,
  catalogFindings: ['providers', 'findings'] as const,
  providerEntry: (provider: string) => ['providers', 'entry', provider] as const,
  checkedEntries: (text: string) => ['provider-check', text] as const,

  /** Everything of every environment. */
  environments: ['environment'] as const,
  environment,
  settings: (env: string) => [...environment(env), 'settings'] as const,
  /** The numbers of objects in the environment, for renaming or deleting it. */
  environmentDetail: (env: string) => [...environment(env), 'detail'] as const,
  variableUse: (env: string) => [...environment(env), 'variable-use'] as const,
  telemetry: (env: string) => [...environment(env), 'telemetry'] as const,
  callback: (env: string) => [...environment(env), 'callback'] as const,

  integrations,
  integrationList: (env: string, filter: object) => [...integrations(env), 'list', filter] as const,
  integrationOptions: (env: string) => [...integrations(env), 'options'] as const,
  integration: (env: string, integrationKey: string) => [...integrations(env), 'one', integrationKey] as const,

  integrationChanges: (env: string, integrationKey: string) =>
    [...integrations(env), 'changes', integrationKey] as const,

  connections,
  connectionList: (env: string, filter: object) => [...connections(env), 'list', filter] as const,
  connectionCount: (env: string, filter: object) => [...connections(env), 'count', filter] as const,
  connectionOptions: (env: string, search: string, integration?: string) =>
    [...connections(env), 'options', search, integration] as const,
  connectionSearch: (env: string, search: string) => [...connections(env), 'search', search] as const,
  /** One connection and everything that belongs to it: syncs, models, records and their history. */
  connection,
  syncs: (env: string, ref: Connection) => [...connection(env, ref), 'syncs'] as const,
  nextRuns: (env: string, ref: Connection, sync: { name: string; variant: string }, frequency: string) =>
    [...connection(env, ref), 'next-runs', sync.name, sync.variant, frequency] as const,

  models: (env: string, ref: Connection) => [...connection(env, ref), 'models'] as const,
  records,
  recordList: (env: string, ref: Connection, filter: { model: string }) =>
    [...records(env, ref, filter.model), 'list', filter] as const,
  record: (env: string, ref: Connection, model: string, which: object) =>
    [...records(env, ref, model), 'one', which] as const,
  recordVersions: (env: string, ref: Connection, model: string, which: object) =>
    [...records(env, ref, model), 'versions', which] as const,
  recordDiff: (env: string, ref: Connection, model: string, which: object) =>
    [...records(env, ref, model), 'diff', which] as const,
  recordPlaces: (env: string, recordId: string) => [...environment(env), 'record-places', recordId] as const,
  /** Not below the records: they change with every batch of a run, and counting all versions is slow. */
  history,
  historyOfVariant: (env: string, ref: Connection, stream: { model: string; variant: string }) =>
    [...history(env, ref, stream.model), stream.variant] as const,

  functions,
  functionList: (env: string, filter: object) => [...functions(env), 'list', filter] as const,
  functionSearch: (env: string, search: string) => [...functions(env), 'search', search] as const,
  brokenFunctions: (env: string) => [...functions(env), 'broken'] as const,
  failingFunctions: (env: string, limit: number) => [...functions(env), 'failing', limit] as const,
  missingFunctions: (env: string) => [...functions(env), 'missing'] as const,
  function: (env: string, which: object) => [...functions(env), 'one', which] as const,
  /** Not below the runs: a busy hub would count a week of runs again after each run. */
  functionStats: (env: string, which: object) => [...functions(env), 'stats', which] as const,
  functionVersions: (env: string, which: object) => [...functions(env), 'versions', which] as const,
  functionTests: (env: string, which: object) => [...functions(env), 'tests', which] as const,
  /** Not below the functions: the code of a version never changes. */
  versionSource: (env: string, which: object) => [...environment(env), 'version-source', which] as const,
  /** Below the functions: a new file replaces its template in the list. */
  functionDraft: (env: string, which: object) => [...functions(env), 'draft', which] as const,
  functionPrompt: (env: string, which: object) => [...functions(env), 'prompt', which] as const,
  templates: (env: string, integrationKey: string) => [...functions(env), 'templates', integrationKey] as const,

  /** Short lists of operations, refetched whenever an operation changes. */
  runs,
  functionRuns: (env: string, which: object) => [...runs(env), 'function', which] as const,
  runsNow: (env: string) => [...runs(env), 'now'] as const,
  functionDeploys: (env: string, which: object) => [...runs(env), 'deploys', which] as const,
  functionConnections: (env: string, which: object) => [...runs(env), 'connections', which] as const,
  connectionOperations: (env: string, which: object) => [...runs(env), 'connection', which] as const,
  runningOperations: (env: string, limit: number) => [...runs(env), 'running', limit] as const,

  operationList: (env: string, filter: object) => [...environment(env), 'operations', filter] as const,
  /** Not below the list: it is refetched less often. */
  logHistogram: (env: string, filter: object) => [...environment(env), 'log-histogram', filter] as const,
  operation,
  recording: (env: string, operationId: string, recordingId: string | null) =>
    [...environment(env), 'recording', operationId, recordingId] as const,
  messages: (env: string, operationId: string) => [...operation(env, operationId), 'messages'] as const,
  messageList: (env: string, operationId: string, filter: object) =>
    [...operation(env, operationId), 'messages', filter] as const,

  /** The data of the overview; its charts are refetched less often than lists. */
  attention: (env: string) => [...environment(env), 'attention'] as const,
  activity,
  activityOf: (env: string, of: object) => [...activity(env), of] as const,
  durationsOf: (env: string, period: string) => [...activity(env), 'durations', period] as const,
  planned: (env: string) => [...environment(env), 'planned'] as const,

  playgroundRun: (env: string, id: string | undefined) => [...environment(env), 'playground-run', id] as const,
  playgroundFixture: (env: string, id: string) => [...environment(env), 'playground-fixture', id] as const,
  playgroundHistories,
  practiceFailure: (env: string) => [...environment(env), 'practice-failure'] as const,
  playgroundInputs,
  playgroundInputList: (env: string, of: object) => [...playgroundInputs(env), of] as const,
  playgroundHistory: (env: string, of: object) => [...playgroundHistories(env), of] as const,

  mcp,
  approvals: (env: string) => [...mcp(env), 'approvals'] as const,
  agentSignIn: (env: string, requestId: string) => [...environment(env), 'agent-sign-in', requestId] as const,
  mcpClients: (env: string) => [...mcp(env), 'clients'] as const,
  mcpDecisions: (env: string) => [...mcp(env), 'decisions'] as const,
  mcpCalls: (env: string) => [...mcp(env), 'calls'] as const,
  mcpTools,
  mcpToolList: (env: string, which: object) => [...mcpTools(env), which] as const,

  /** API keys with their usage, and the apps that ask for one. */
  apiKeys: (env: string) => [...environment(env), 'api-keys'] as const,
  pairings: (env: string) => [...environment(env), 'pairings'] as const,
  audit: (env: string) => [...environment(env), 'audit'] as const,
  auditList: (env: string, filter: object) => [...environment(env), 'audit', filter] as const,
  notifications: (env: string) => [...environment(env), 'notifications'] as const,
  notificationRules: (env: string) => [...environment(env), 'notification-rules'] as const,

  webhookDestinations: (env: string) => [...environment(env), 'webhook-destinations'] as const,
  outgoingWebhooks: (env: string) => [...environment(env), 'outgoing-webhooks'] as const,
  outgoingWebhookList: (env: string, filter: object) => [...environment(env), 'outgoing-webhooks', filter] as const,
  /** Below the list: it changes with every webhook too. */
  failedWebhookCount: (env: string, filter: object) =>
    [...environment(env), 'outgoing-webhooks', 'failed', filter] as const,
  outgoingWebhook: (env: string, id: string | undefined) => [...environment(env), 'outgoing-webhook', id] as const,
  incomingWebhooks: (env: string) => [...environment(env), 'incoming-webhooks'] as const,
  incomingWebhookList: (env: string, filter: object) => [...environment(env), 'incoming-webhooks', filter] as const,
  incomingWebhook: (env: string, id: string) => [...environment(env), 'incoming-webhook', id] as const,
};

const OF_CONNECTION = new Set<unknown>([undefined, 'syncs', 'next-runs', 'models']);
const READABLE = new Set<unknown>(['connections', 'functions', 'api-keys', 'pairings']);

/** Whether a locked hub answers the query as well: its data holds nothing sealed, so that forms over it may stay. */
export function answersWhenLocked([, , noun, ...rest]: readonly unknown[]): boolean {
  if (noun === 'connection') return OF_CONNECTION.has(rest[2]);
  return READABLE.has(noun) || (noun === 'integrations' && rest[0] === 'options');
}

/** A page of a long list: the first one, whose response fixes count and snapshot, or a later one inside that snapshot. */
export const pageKeys = {
  first: (list: readonly unknown[]) => [...list, 'first'] as const,
  further: (list: readonly unknown[], snapshot: string | undefined, page: number) =>
    [...list, 'page', snapshot, page] as const,
};
