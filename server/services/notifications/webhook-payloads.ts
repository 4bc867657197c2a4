import type { SyncEvent, SyncRunError } from './sync-event.ts';
import type { AsyncActionEvent, AuthEvent, ForwardEvent, WebhookEndUser } from './webhook-events.ts';

/** A webhook's body before it becomes text; undefined members are left out (webhooks.md 1.3). */
export type WebhookPayload = Record<string, unknown>;

export function authPayload(event: AuthEvent): WebhookPayload {
  return {
    from: 'nango',
    type: 'auth',
    operation: event.operation,
    connectionId: event.connectionId,
    authMode: event.authMode,
    providerConfigKey: event.providerConfigKey,
    provider: event.provider,
    environment: event.environment.name,
    success: event.success,
    endUser: event.endUser ? endUserPayload(event.endUser) : undefined,
    tags: event.tags,
    error: event.success ? undefined : event.error,
  };
}

function endUserPayload({ id, email, organization, tags }: WebhookEndUser): WebhookPayload {
  return { endUserId: id, endUserEmail: email, organizationId: organization?.id, tags: tags ?? {} };
}

export function syncPayload(event: SyncEvent): WebhookPayload {
  return {
    from: 'nango',
    type: 'sync',
    connectionId: event.connectionId,
    providerConfigKey: event.providerConfigKey,
    syncName: event.syncName,
    syncVariant: event.syncVariant,
    syncType: event.syncType,
    model: event.model,
    checkpoints: event.checkpoints,
    success: event.success,
    ...(event.success
      ? {
          responseResults: event.responseResults,
          modifiedAfter: isoTime(event.modifiedAfter),
          queryTimeStamp: isoTime(event.modifiedAfter),
        }
      : { error: errorPayload(event.error), startedAt: isoTime(event.startedAt), failedAt: isoTime(event.failedAt) }),
  };
}

function errorPayload({ message, payload, additionalProperties }: SyncRunError): WebhookPayload {
  return { type: 'script_error', description: message, payload, additional_properties: additionalProperties };
}

export function asyncActionPayload({ callId, connectionId, providerConfigKey }: AsyncActionEvent): WebhookPayload {
  return {
    from: 'nango',
    type: 'async_action',
    connectionId,
    providerConfigKey,
    payload: { id: callId, statusUrl: `/action/${callId}` },
  };
}

/** Here `from` is the provider. */
export function forwardPayload({ integration, payload }: ForwardEvent, connectionId: string): WebhookPayload {
  return {
    from: integration.provider,
    type: 'forward',
    connectionId,
    providerConfigKey: integration.uniqueKey,
    payload: payload ?? {},
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
