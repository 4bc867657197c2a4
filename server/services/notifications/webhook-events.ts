import type { Environment } from '../environment/environment-service.ts';

/** What outgoing webhooks tell, beside the ends of syncs (webhooks.md 1.2). */

/** A connection's own copy of its end user, as far as the `auth` webhook tells it. */
export interface WebhookEndUser {
  id: string;
  email: string | null;
  displayName: string | null;
  organization: { id: string } | null;
  tags: Record<string, string> | null;
}

export interface AuthEvent {
  environment: Environment;
  /** On a failed creation the intended id. */
  connectionId: string;
  providerConfigKey: string;
  /** `unknown` when the integration cannot be resolved. */
  provider: string;
  /** The provider's. */
  authMode: string;
  operation: 'creation' | 'override' | 'refresh';
  success: boolean;
  endUser?: WebhookEndUser | null | undefined;
  /** Tags of the connection. */
  tags?: Record<string, string> | undefined;
  /** Only told of a failure. */
  error?: { type: string; description: string } | undefined;
  webhookUrlOverride?: string | null | undefined;
}

/** An asynchronous action came to its end: success or the last failure. */
export interface AsyncActionEvent {
  environment: Environment;
  providerConfigKey: string;
  connectionId: string;
  actionName: string;
  /** Id of the call; its answer is read at `/action/<id>`. */
  callId: string;
  /** Operation of its last attempt; absent when it never ran. */
  operationId?: string | undefined;
}

/** A provider's webhook, to be passed on. */
export interface ForwardEvent {
  environment: Environment;
  integration: { uniqueKey: string; provider: string; forwardsWebhooks: boolean };
  /** What the routing chose to pass on. */
  payload: unknown;
  /** As the provider sent them, lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  /** The matched ones; none: the payload goes out once, without wrapper. */
  connections: ReadonlyArray<{ connectionId: string; webhookUrlOverride: string | null }>;
}
