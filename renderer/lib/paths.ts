const part = encodeURIComponent;

/** Addresses of the dashboard, below its base. Keys and ids are encoded: connection ids may contain slashes. */
export const paths = {
  integrations: (env: string) => `/${env}/integrations`,
  newIntegration: (env: string, provider?: string) =>
    `/${env}/integrations/create${provider ? `/${part(provider)}` : ''}`,
  /** The editor of a provider's entry; without a name, for a new one. */
  providerEntry: (env: string, provider?: string) =>
    `/${env}/integrations/define${provider ? `/${part(provider)}` : ''}`,
  integration: (env: string, key: string, tab?: string) => `/${env}/integrations/${part(key)}${tab ? `/${tab}` : ''}`,
  function: (env: string, row: { integrationKey: string; name: string; type: string }) =>
    `/${env}/integrations/${part(row.integrationKey)}/functions/${part(row.name)}?type=${row.type}`,
  /** The page about the callback address; without a key, not about one provider. */
  callback: (env: string, key?: string) => `${key ? paths.integration(env, key) : `/${env}`}/callback`,
  connections: (env: string) => `/${env}/connections`,
  newConnection: (env: string, integrationKey?: string) =>
    `/${env}/connections/create${integrationKey ? `?integration_id=${part(integrationKey)}` : ''}`,
  connection: (env: string, row: { integrationKey: string; connectionId: string }, tab?: string) =>
    `/${env}/connections/${part(row.integrationKey)}/${part(row.connectionId)}${tab ? `/${tab}` : ''}`,
  records: (env: string, row: { integrationKey: string; connectionId: string }, model: string, variant: string) =>
    `${paths.connection(env, row)}/records/${part(model)}${variant === 'base' ? '' : `?variant=${part(variant)}`}`,
  overview: (env: string) => `/${env}`,
  import: (env: string) => `/${env}/import`,
  /** Its part for requests, where those of other programs are imported. */
  playgroundRequests: (env: string) => `/${env}/playground?type=proxy`,
  /** Of the whole environment, of one integration, or of one connection. */
  export: (env: string, only?: { integrationKey: string; connectionId?: string }) => {
    if (!only) return `/${env}/export`;
    const { integrationKey: integration, connectionId: connection } = only;
    return `/${env}/export?${new URLSearchParams({ integration, ...(connection !== undefined && { connection }) })}`;
  },
  /** The documentation, or one of its pages: `errors#not_found`, `providers/github`. */
  docs: (page?: string) => `/docs${page === undefined ? '' : `/${page}`}`,
  gettingStarted: (env: string) => `/${env}/getting-started`,
  /** A record destination, open over their list. */
  destination: (env: string, id: string) => `/${env}/destinations?destination=${encodeURIComponent(id)}`,
  /** Operations of a period (milliseconds), filtered by the query. */
  logs: (env: string, query: Record<string, string>) => `/${env}/logs?${new URLSearchParams(query)}`,
  operation: (env: string, id: string) => `/${env}/logs?operationId=${part(id)}`,
  functions: (env: string) => `/${env}/functions`,
  newFunction: (env: string, integrationKey?: string) =>
    `/${env}/functions/create${integrationKey ? `?integration=${part(integrationKey)}` : ''}`,
  /** The small window beside other work. */
  quick: (env: string) => `/${env}/quick`,
  /** Calls of an MCP client, found by its name in their messages. */
  toolCalls: (env: string, client: string) => `/${env}/logs?types=action&period=%2C&search=${part(client)}`,
  /** What an agent session did, in the order of the log. */
  sessionLog: (env: string, id: string) => `/${env}/logs?period=%2C&search=${part(`session:${id}`)}`,
  webhook: (env: string, direction: 'incoming' | 'outgoing', id: string) =>
    `/${env}/webhooks?direction=${direction}&webhook=${part(id)}`,
  /** Webhooks to the app that forward those of an integration. */
  forwards: (env: string, integrationKey: string) =>
    `/${env}/webhooks?direction=outgoing&types=forward&integrations=${part(integrationKey)}`,
  /** Settings of the program and of this browser. */
  appSettings: (section: string, setting?: string) =>
    `/settings/${section}${setting === undefined ? '' : `?setting=${part(setting)}`}`,
  apps: (env: string, tab?: 'audit') => `/${env}/apps${tab ? `?tab=${tab}` : ''}`,
  newKey: (env: string) => `/${env}/apps?new=key`,
  notifications: (env: string) => `/${env}/notifications`,
  settings: (env: string, section?: string) => `/${env}/environment-settings${section ? `#${section}` : ''}`,
  /** One setting of a section, by its label, which the page marks. */
  setting: (env: string, section: string, setting: string) =>
    `/${env}/environment-settings?setting=${part(setting)}#${section}`,
};

/** The same address for a new window, which needs the base too. */
export const windowHref = (path: string): string => `/app${path}`;
