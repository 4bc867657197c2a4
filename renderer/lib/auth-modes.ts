const NAMES: Record<string, string> = {
  OAUTH2: 'OAuth 2',
  OAUTH2_CC: 'OAuth 2 client',
  OAUTH1: 'OAuth 1',
  API_KEY: 'API key',
  BASIC: 'Basic',
  APP: 'App',
  APP_STORE: 'App store',
  CUSTOM: 'Custom app',
  NONE: 'None',
  TBA: 'Token-based',
  JWT: 'JWT',
  SIGNATURE: 'Signature',
  TWO_STEP: 'Two-step',
  BILL: 'Bill',
  INSTALL_PLUGIN: 'Plug-in',
  AWS_SIGV4: 'AWS signature',
  MCP_OAUTH2: 'MCP OAuth 2',
  MCP_OAUTH2_GENERIC: 'MCP OAuth 2',
};

/** The label of an auth mode. */
export const authModeName = (mode: string): string => NAMES[mode] ?? mode;
