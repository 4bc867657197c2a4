import { type ConnectUiSettings, DEFAULT_CONNECT_UI } from '../authorization/connect-ui.contract.ts';
import type { EnvironmentColour } from './dashboard-environment.contract.ts';

/** Minimum level of function logs; `off` stores none. */
export type FunctionLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

/** How questions of agents are sent elsewhere. */
export type ApprovalsKind = 'ntfy' | 'webhook';

/** Settings of one environment that are not secret (design.md 7.17); stored as one JSON object. */
export interface StoredEnvironmentSettings {
  /** Destructive work in the dashboard requires typing the name. `prod` is always a production environment. */
  isProduction: boolean;
  /** Colour of the bar at the top of the window; null means the default. */
  colour: EnvironmentColour | null;
  /** Position in the list of environments, lowest first. Environments with null come last, oldest first. */
  position: number | null;
  connectUi: ConnectUiSettings;
  /** Full address of the OAuth callback; null means the hub's own. */
  callbackUrl: string | null;
  /** Origin of addresses that providers call, without a trailing slash; null means the hub's own. */
  publicUrl: string | null;
  /** Minimum level of function logs; null means the program's default. */
  logLevel: FunctionLevel | null;
  /** Local and private hosts that addresses from callers may reach (design.md 7.22). */
  allowedHosts: string[];
  /** Calls of the public API per minute (http-api.md 1.7); null means no limit. */
  rateLimitPerMinute: number | null;
  /** Days for which operations and their messages are kept; null means for ever. */
  logRetentionDays: number | null;
  /** Approximate disk space for logs in MB; the oldest are removed first. Null means no limit. */
  logMegabytes: number | null;
  /** Days for which webhooks are kept after they ended; null means for ever. */
  webhookRetentionDays: number | null;
  /** Days after which the payload of an unchanged record is removed; null means never (syncs-and-records.md 2.9). */
  recordPruneDays: number | null;
  /** Days without a run of its sync after which all records of a model are removed; null means never. */
  recordDeleteDays: number | null;
  /**
   * Base address of the collector that receives the operations as traces; null means that none are sent. Its headers
   * are sealed.
   */
  otlpEndpoint: string | null;
  /** Whether callers and functions may name another base URL than the integration's. */
  allowsBaseUrlOverride: boolean;
  /** Whether agents may build functions at `/mcp/manage` (agents.md 13). */
  agentsMayBuild: boolean;
  /** Where questions of agents are sent as well (agents.md 12); the token is sealed. */
  approvals: { url: string | null; kind: ApprovalsKind; isPublic: boolean };
  webhook: {
    primaryUrl: string | null;
    secondaryUrl: string | null;
    onAuthCreation: boolean;
    onAuthRefreshError: boolean;
    onSyncCompletionAlways: boolean;
    onSyncError: boolean;
    onAsyncActionCompletion: boolean;
    onConnectionDeletion: boolean;
  };
}

export const DEFAULT_SETTINGS: StoredEnvironmentSettings = {
  isProduction: false,
  colour: null,
  position: null,
  connectUi: DEFAULT_CONNECT_UI,
  callbackUrl: null,
  publicUrl: null,
  logLevel: null,
  allowedHosts: [],
  rateLimitPerMinute: null,
  logRetentionDays: 15,
  logMegabytes: 1024,
  webhookRetentionDays: 7,
  recordPruneDays: null,
  recordDeleteDays: null,
  otlpEndpoint: null,
  allowsBaseUrlOverride: true,
  agentsMayBuild: false,
  approvals: { url: null, kind: 'ntfy', isPublic: false },
  webhook: {
    primaryUrl: null,
    secondaryUrl: null,
    onAuthCreation: true,
    onAuthRefreshError: true,
    onSyncCompletionAlways: true,
    onSyncError: true,
    onAsyncActionCompletion: true,
    onConnectionDeletion: false,
  },
};

/** Any part of the settings. */
export type SettingsChanges = Partial<Omit<StoredEnvironmentSettings, 'approvals' | 'webhook'>> & {
  approvals?: Partial<StoredEnvironmentSettings['approvals']>;
  webhook?: Partial<StoredEnvironmentSettings['webhook']>;
};

export function mergeSettings(
  settings: StoredEnvironmentSettings,
  changes: SettingsChanges,
): StoredEnvironmentSettings {
  return {
    ...settings,
    ...changes,
    approvals: { ...settings.approvals, ...changes.approvals },
    webhook: { ...settings.webhook, ...changes.webhook },
  };
}
