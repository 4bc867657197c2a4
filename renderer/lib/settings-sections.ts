export interface SettingsSection {
  /** The last segment of its address. */
  id: string;
  label: string;
}

/** Sections of one environment: parts of one page, by the hash of its address (ui.md 3). */
export const ENVIRONMENT_SECTIONS: readonly SettingsSection[] = [
  { id: 'general', label: 'General' },
  { id: 'api-keys', label: 'API keys' },
  { id: 'auth-callback', label: 'Callback address' },
  { id: 'connect-ui', label: 'Connect page' },
  { id: 'webhooks', label: 'Webhooks' },
  { id: 'notifications', label: 'Notifications' },
  { id: 'approvals', label: 'Questions of agents' },
  { id: 'public-url', label: 'Public URL' },
  { id: 'function-env-vars', label: 'Variables' },
  { id: 'retention', label: 'Retention' },
  { id: 'advanced', label: 'Advanced' },
  { id: 'telemetry', label: 'Telemetry' },
  { id: 'delete', label: 'Delete' },
];

/** Sections of the program and of this browser: a page each, `/settings/:section` (ui.md 3). */
export const APPLICATION_SECTIONS: readonly SettingsSection[] = [
  { id: 'general', label: 'General' },
  { id: 'environments', label: 'Environments' },
  { id: 'appearance', label: 'Appearance' },
  { id: 'shortcuts', label: 'Keyboard' },
  { id: 'data', label: 'Data and backups' },
  { id: 'vault', label: 'Vault' },
  { id: 'network', label: 'Network' },
  { id: 'updates', label: 'Updates' },
  { id: 'about', label: 'About' },
];
