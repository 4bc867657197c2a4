/** Authentication modes of the catalogue and the mode-specific rules of providers.md 1 and 2.3. */
export const AUTH_MODES = [
  'OAUTH2',
  'OAUTH1',
  'OAUTH2_CC',
  'API_KEY',
  'BASIC',
  'NONE',
  'APP',
  'CUSTOM',
  'JWT',
  'TWO_STEP',
  'SIGNATURE',
  'TBA',
  'BILL',
  'INSTALL_PLUGIN',
  'AWS_SIGV4',
  'MCP_OAUTH2',
  'MCP_OAUTH2_GENERIC',
] as const;

export type AuthMode = (typeof AUTH_MODES)[number];

/** Modes whose entries may define their own credential fields. */
export const MODES_WITH_CREDENTIALS: readonly AuthMode[] = [
  'API_KEY',
  'BASIC',
  'SIGNATURE',
  'TWO_STEP',
  'JWT',
  'OAUTH2_CC',
  'AWS_SIGV4',
  'INSTALL_PLUGIN',
];

/** Credential fields that an entry of the mode must declare. */
export const REQUIRED_CREDENTIALS: Partial<Record<AuthMode, string>> = { API_KEY: 'apiKey', AWS_SIGV4: 'role_arn' };

/** Configuration keys that a mode reads itself, without a placeholder in the entry. */
export const CONFIG_READ_BY_MODE: Partial<Record<AuthMode, readonly string[]>> = {
  OAUTH2_CC: ['oauth_scopes'],
  TBA: ['accountId', 'oauth_client_id', 'oauth_client_secret'],
  APP: ['installation_id', 'app_id'],
  CUSTOM: ['installation_id', 'app_id'],
};

export const CATEGORIES = [
  'accounting',
  'analytics',
  'ats',
  'banking',
  'cms',
  'communication',
  'crm',
  'design',
  'dev-tools',
  'e-commerce',
  'erp',
  'gaming',
  'hr',
  'iam',
  'invoicing',
  'knowledge-base',
  'legal',
  'marketing',
  'mcp',
  'other',
  'payment',
  'popular',
  'productivity',
  'search',
  'social',
  'sports',
  'storage',
  'support',
  'surveys',
  'ticketing',
  'video',
] as const;

/** Ways in which an entry was confirmed (providers.md 2.1). */
export const CONFIRMATIONS = ['documentation', 'description', 'recording'] as const;
