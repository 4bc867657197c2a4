import { shrinkObject } from '../../../functions/runtime/shrink-json.ts';
import { isJsonObject } from '../../lib/json-object.ts';

type Payload = Record<string, unknown>;

/** A failure's payload as callers see it: an object, without what signs a request, of a size that fits a log. */
export function toPayload(value: unknown): Payload {
  return shrinkObject(asObject(withoutAuthorization(value)));
}

/** Functions throw request configurations and headers whole: what signs a request stays inside. */
function withoutAuthorization(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAuthorization);
  if (!isJsonObject(value)) return value;
  const redacted = Object.entries(value).map(([key, member]) => [
    key,
    key.toLowerCase() === 'authorization' ? '[Redacted]' : withoutAuthorization(member),
  ]);
  return Object.fromEntries(redacted);
}

/** Payloads are objects on the wire; anything else is wrapped. */
function asObject(value: unknown): Payload {
  if (value === undefined) return {};
  return isJsonObject(value) ? value : { message: value };
}
