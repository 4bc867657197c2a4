import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import { privateHostsOf } from '../../catalog/private-hosts.ts';
import type { BodyTemplate } from '../../catalog/proxy-schema.ts';
import { readsSecret } from '../../catalog/sensitive-changes.ts';
import { parseTemplate, type Template } from '../../catalog/template/parse-template.ts';

export interface PlannedHeader {
  name: string;
  template: Template;
  mentionsConfig: boolean;
  /** Its value holds a credential. */
  isSecret: boolean;
}

/** One member that the entry adds to bodies; `path` leads to it through nested objects. */
export interface PlannedMember {
  path: string[];
  template: Template;
}

/** An entry's request rules with their templates parsed once. */
export interface RequestPlan {
  entry: ProviderEntry;
  baseUrl: Template | undefined;
  headers: PlannedHeader[];
  query: Array<[name: string, template: Template]>;
  body: PlannedMember[];
  /** Hosts that the entry itself names and that may be loopback or private. */
  literalHosts: string[];
}

export function planRequests(entry: ProviderEntry): RequestPlan {
  const { base_url: baseUrl, headers = {}, query = {}, body = {} } = entry.proxy ?? {};
  return {
    entry,
    baseUrl: baseUrl === undefined ? undefined : parseTemplate(baseUrl),
    headers: Object.entries(headers).map(([name, text]) => planHeader(name, text)),
    query: Object.entries(query).map(([name, text]) => [name, parseTemplate(text)]),
    body: planBody(body, []),
    literalHosts: privateHostsOf(entry, [baseUrl, entry.proxy?.verification?.base_url_override]),
  };
}

export function planHeader(name: string, text: string): PlannedHeader {
  return {
    name,
    template: parseTemplate(text),
    mentionsConfig: /connection_?config/i.test(text),
    isSecret: readsSecret(text),
  };
}

function planBody(body: BodyTemplate, prefix: string[]): PlannedMember[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const path = [...prefix, name];
    return typeof value === 'string' ? [{ path, template: parseTemplate(value) }] : planBody(value, path);
  });
}
