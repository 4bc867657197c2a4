import { valueAt } from '../../integrations/catalog/template/resolve-template.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type { PropertyTarget, ProviderWebhook, RefusedWebhook } from './webhook-routing.ts';

/**
 * The text at a dotted path in a provider's data; numbers become text, with all their digits. Undefined for other types
 * and for an empty text.
 */
export function textAt(source: unknown, path: string): string | undefined {
  const value = valueAt(source, path);
  if (JSON.isRawJSON(value)) return value.rawJSON;
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}

/** The list at a dotted path; empty when there is no list. */
export function listAt(source: unknown, path: string): unknown[] {
  const value = valueAt(source, path);
  return Array.isArray(value) ? value : [];
}

/** Members of an object; empty when the value is not an object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}

/** The items of a list, or the value itself. */
export function eachOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

export const CONNECTION_HEADER = 'x-nango-connection-id';

/** The connection in the webhook's own address or body, when the developer chose the address. */
export function connectionIdOf({ query, body }: ProviderWebhook): string | undefined {
  return query['nangoConnectionId'] || textAt(body, 'nangoConnectionId');
}

export function connectionTarget(value: string | undefined): PropertyTarget {
  return { property: 'connectionId', value };
}

export const MISSING_SIGNATURE = refuse(401, 'Missing webhook signature');
export const INVALID_SIGNATURE = refuse(401, 'Invalid webhook signature');
export const MISSING_CONNECTION_ID = refuse(400, 'Webhook payload is missing nangoConnectionId');

export function refuse(status: RefusedWebhook['status'], message: string): RefusedWebhook {
  return { kind: 'refused', status, message };
}

export function missingHeader(name: string): RefusedWebhook {
  return refuse(400, `The webhook has no header ${name}.`);
}
