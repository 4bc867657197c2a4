/** Keys of the query cache. Everything of an environment starts with its name, so that switching never mixes. */
export const keys = {
  meta: ['meta'] as const,
  /** The data folder, which all environments share. */
  data: ['data'] as const,
  apiDocument: ['api-document'] as const,
  providers: ['providers'] as const,
  sessions: ['sessions'] as const,
  integrations: (env: string) => [env, 'integrations'] as const,
  connections: (env: string) => [env, 'connections'] as const,
  connection: (env: string, integrationKey: string, connectionId: string) =>
    [env, 'connection', integrationKey, connectionId] as const,
  callback: (env: string) => [env, 'callback'] as const,
  functions: (env: string) => [env, 'functions'] as const,
  operations: (env: string) => [env, 'operations'] as const,
  operation: (env: string, id: string) => [env, 'operation', id] as const,
  mcp: (env: string) => [env, 'mcp'] as const,
  approvals: (env: string) => [env, 'mcp', 'approvals'] as const,
  outgoingWebhooks: (env: string) => [env, 'outgoing-webhooks'] as const,
  outgoingWebhook: (env: string, id: string) => [env, 'outgoing-webhook', id] as const,
  incomingWebhooks: (env: string) => [env, 'incoming-webhooks'] as const,
  incomingWebhook: (env: string, id: string) => [env, 'incoming-webhook', id] as const,
  settings: (env: string) => [env, 'settings'] as const,
};
