import { type ConnectUiSettings, DEFAULT_CONNECT_UI } from '../../contract/api/connect-ui.ts';
import type { EnvironmentColour } from '../../contract/dashboard/dashboard-environment.ts';

/** Settings of one environment that are not secret (design.md 7.17); stored as one JSON object. */
export interface StoredEnvironmentSettings {
  /** Destructive work in the dashboard asks for a typed name; `prod` is a production one in any case. */
  isProduction: boolean;
  /** Of the bar on top of the window; null = the usual one. */
  colour: EnvironmentColour | null;
  /** In the list of environments, the lowest first; null = after those, by age. */
  position: number | null;
  connectUi: ConnectUiSettings;
  /** Full address of the OAuth callback; null = the hub's own. */
  callbackUrl: string | null;
  /** Origin of addresses that providers call, without a trailing slash; null = the hub's own. */
  publicUrl: string | null;
  /** Minimum level of function logs; null = the program's default. */
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'off' | null;
  /** Hosts that caller-supplied addresses may reach although they are local or private (design.md 7.22). */
  allowedHosts: string[];
  /** Calls of the public API per minute (http-api.md 1.7); null = as many as come. */
  rateLimitPerMinute: number | null;
  /** Days that operations and their messages are kept; null = for good. */
  logRetentionDays: number | null;
  /** About how much of the disk they may take, in MB; the oldest go first. null = any amount. */
  logMegabytes: number | null;
  /** Days that webhooks are kept after they ended; null = for good. */
  webhookRetentionDays: number | null;
  /** Days after which the payload of an unchanged record is emptied; null = never (syncs-and-records.md 2.9). */
  recordPruneDays: number | null;
  /** Days without a run of its sync after which all records of a model are removed; null = never. */
  recordDeleteDays: number | null;
  /** Base address of the collector that gets the operations as traces; null = nothing is sent. Its headers are sealed. */
  otlpEndpoint: string | null;
  webhook: {
    primaryUrl: string | null;
    secondaryUrl: string | null;
    onAuthCreation: boolean;
    onAuthRefreshError: boolean;
    onSyncCompletionAlways: boolean;
    onSyncError: boolean;
    onAsyncActionCompletion: boolean;
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
  webhook: {
    primaryUrl: null,
    secondaryUrl: null,
    onAuthCreation: true,
    onAuthRefreshError: true,
    onSyncCompletionAlways: true,
    onSyncError: true,
    onAsyncActionCompletion: true,
  },
};

/** Any part of the settings. */
export type SettingsChanges = Partial<Omit<StoredEnvironmentSettings, 'webhook'>> & {
  webhook?: Partial<StoredEnvironmentSettings['webhook']>;
};

export function mergeSettings(
  settings: StoredEnvironmentSettings,
  changes: SettingsChanges,
): StoredEnvironmentSettings {
  return { ...settings, ...changes, webhook: { ...settings.webhook, ...changes.webhook } };
}
