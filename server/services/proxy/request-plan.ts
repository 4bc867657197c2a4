import { isIP } from 'node:net';
import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { BodyTemplate } from '../../catalog/proxy-schema.ts';
import { readsSecret } from '../../catalog/sensitive-changes.ts';
import { parseTemplate, type Template } from '../../catalog/template/parse-template.ts';
import { bareHost } from '../../lib/address-guard.ts';

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
    literalHosts: [...(baseUrl ?? '').split('||'), entry.proxy?.verification?.base_url_override ?? '']
      .flatMap(literalHost)
      .filter((host) => mayBePrivate(host, entry)),
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

/** The user may give a private machine any name; a built-in entry that means one (practice) says so by its address. */
function mayBePrivate(host: string, entry: ProviderEntry): boolean {
  return entry.source !== 'builtin' || isIP(bareHost(host.replace(/:\d+$/, ''))) !== 0;
}

/**
 * The host of an address whose host part holds no placeholder, with the port it names: a permission for one
 * program of this computer is none for its neighbours. Without a port it stands for every port.
 */
export function literalHost(address: string): string[] {
  const origin = /^\s*https?:\/\/[^/?#]*/i.exec(address)?.[0];
  const url = origin === undefined || origin.includes('${') ? null : URL.parse(origin);
  return url ? [url.host] : [];
}

function planBody(body: BodyTemplate, prefix: string[]): PlannedMember[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const path = [...prefix, name];
    return typeof value === 'string' ? [{ path, template: parseTemplate(value) }] : planBody(value, path);
  });
}
