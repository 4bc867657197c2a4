import type { EnvironmentSettings } from '../environment/environment-settings.ts';
import type { SyncEvent } from './sync-event.ts';
import type { AuthEvent } from './webhook-events.ts';

type WebhookSettings = EnvironmentSettings['webhook'];

/** Where an event goes, in this order: a connection's own address replaces both of the environment. */
export function destinationsOf(settings: WebhookSettings, override: string | null | undefined): string[] {
  const urls = override ? [override] : [settings.primaryUrl, settings.secondaryUrl];
  return urls.filter((url): url is string => Boolean(url));
}

export function isAuthWanted(settings: WebhookSettings, { operation, success }: AuthEvent): boolean {
  switch (operation) {
    case 'creation':
      return settings.onAuthCreation;
    case 'override':
      return true;
    case 'refresh':
      return !success && settings.onAuthRefreshError;
  }
}

/** `unchanged`: not told, because there is nothing to tell. */
export function decideSync(settings: WebhookSettings, event: SyncEvent): 'wanted' | 'unwanted' | 'unchanged' {
  if (!event.success) return settings.onSyncError ? 'wanted' : 'unwanted';
  const { added, updated, deleted } = event.responseResults;
  return added + updated + deleted > 0 || settings.onSyncCompletionAlways ? 'wanted' : 'unchanged';
}
