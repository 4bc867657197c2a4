import { TRANSPORT_HEADERS } from '../../catalog/proxy-schema.ts';
import { resolveTemplate, type TemplateContext } from '../../catalog/template/resolve-template.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { PlannedHeader } from './request-plan.ts';
import type { Lookup, RequestScope } from './request-scope.ts';

export interface HeadersInput {
  planned: PlannedHeader[];
  scope: RequestScope;
  facts: Lookup;
  context: Omit<TemplateContext, 'lookup'>;
  authorization: string | undefined;
  /** Lower-case names. */
  caller: Record<string, string>;
  contentType: string | undefined;
  isTypeFixed: boolean;
}

export interface BuiltHeaders {
  headers: Record<string, string>;
  sensitive: string[];
  warnings: string[];
}

const BASE_HEADERS = { accept: 'application/json, text/plain, */*', 'user-agent': 'Homeport' };

/** Merges headers in the order of providers.md 5.3: type default, entry, caller; an entry's user-agent wins. */
export function buildHeaders(input: HeadersInput): BuiltHeaders {
  const entry: Record<string, string> = {};
  const warnings: string[] = [];
  for (const header of input.planned) {
    // Entries cannot name one; the key of a generic provider may.
    if (TRANSPORT_HEADERS.has(header.name)) continue;
    const { text, missing } = resolveTemplate(header.template, {
      ...input.context,
      lookup: input.scope.header(header, input.facts),
    });
    if (missing.length === 0) entry[header.name] = checkValue(header.name, text);
    else if (!header.mentionsConfig)
      warnings.push(`The header ${header.name} was left out: ${missing.join(', ')} has no value`);
  }
  const headers: Record<string, string> = {
    ...BASE_HEADERS,
    ...(input.contentType === undefined ? {} : { 'content-type': input.contentType }),
    ...(input.authorization === undefined ? {} : { authorization: checkValue('authorization', input.authorization) }),
    ...entry,
    ...input.caller,
    ...(entry['user-agent'] === undefined ? {} : { 'user-agent': entry['user-agent'] }),
    ...(input.isTypeFixed && input.contentType !== undefined ? { 'content-type': input.contentType } : {}),
  };
  const sensitive = input.planned.filter((header) => header.isSecret).map((header) => header.name);
  return { headers, sensitive, warnings };
}

/** Lower-case names; what the transport owns is left out. */
export function callerHeaders(headers: Record<string, string> | undefined): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const key = name.toLowerCase();
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(key))
      throw new HomeportError('invalid_headers', 'A header name holds characters that are not allowed.');
    if (!TRANSPORT_HEADERS.has(key)) result[key] = checkValue(key, value);
  }
  return result;
}

/** Anything but visible characters, blanks and Latin-1 could end the header and begin another. */
function checkValue(name: string, value: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  throw new HomeportError(
    'invalid_headers',
    `The value of the header ${name} holds characters that are not allowed in a header.`,
  );
}
