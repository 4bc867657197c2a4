import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { FieldDefinition } from '../field-schema.ts';
import { resolveBaseUrl } from './base-url.ts';
import { parseTemplate } from './parse-template.ts';
import { valueAt } from './resolve-template.ts';

export interface AuthUrlValues {
  connectionConfig: Record<string, unknown>;
  /** Only token addresses may use credentials. */
  credentials?: Record<string, unknown>;
  /** The entry's `connection_config`; its patterns are enforced inside the host. */
  fields?: Record<string, FieldDefinition> | undefined;
  /** False for `authorization_url_skip_encode` and `token_url_skip_encode` with `base_url`. Default true. */
  encodesValues?: boolean;
}

/**
 * Fills `authorization_url`, `token_url` and `refresh_url`. Values are percent-encoded; empty ones count as missing
 * (providers.md 4). Throws `missing_connection_config` when a value is missing.
 */
export function fillAuthUrl(source: string, values: AuthUrlValues): string {
  const encodes = values.encodesValues ?? true;
  const template = parseTemplate(source);
  const wholeAddress = template.alternatives.some((parts) => typeof parts[0] === 'object' && parts[0].kind === 'path');
  const lookup = (path: string): unknown => {
    const value = readValue(path, values);
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    // A value that is a whole address is not encoded, because the result would not be a URL.
    const isAddress = wholeAddress && URL.canParse(String(value));
    return value === '' ? undefined : encodes && !isAddress ? encodeURIComponent(value) : String(value);
  };
  const url = resolveBaseUrl(template, { lookup, now: 0, random: '' }, values.fields);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new HomeportError(
      'missing_connection_config',
      'The address of the provider cannot be built from the connection configuration.',
    );
  }
  return url;
}

function readValue(path: string, values: AuthUrlValues): unknown {
  const [, root, key = path] = /^(connectionConfig|connection_config|credentials)\.(.+)$/.exec(path) ?? [];
  if (root === 'credentials') return valueAt(values.credentials, key);
  if (root) return valueAt(values.connectionConfig, key);
  return valueAt(values.connectionConfig, key) ?? valueAt(values.credentials, key);
}
