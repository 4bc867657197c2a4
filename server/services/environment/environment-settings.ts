/** Settings of one environment that are not secret (design.md 7.17); stored as one JSON object. */
export interface EnvironmentSettings {
  /** Full address of the OAuth callback; null = the hub's own. */
  callbackUrl: string | null;
  /** Minimum level of function logs; null = the program's default. */
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'off' | null;
  /** Hosts that caller-supplied addresses may reach although they are local or private (design.md 7.22). */
  allowedHosts: string[];
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

export const DEFAULT_SETTINGS: EnvironmentSettings = {
  callbackUrl: null,
  logLevel: null,
  allowedHosts: [],
  webhook: {
    primaryUrl: null,
    secondaryUrl: null,
    onAuthCreation: true,
    onAuthRefreshError: true,
    onSyncCompletionAlways: false,
    onSyncError: true,
    onAsyncActionCompletion: true,
  },
};
