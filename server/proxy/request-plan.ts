import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { privateHostsOf } from '../integrations/catalog/private-hosts.ts';
import type { BodyTemplate } from '../integrations/catalog/proxy-schema.ts';
import { splitConfig } from '../integrations/catalog/secret-config.ts';
import { readsSecret } from '../integrations/catalog/sensitive-changes.ts';
import { parseTemplate, pathsOf, type Template } from '../integrations/catalog/template/parse-template.ts';

export interface PlannedHeader {
  name: string;
  template: Template;
  /** The template reads the connection's configuration, which determines the values it may use. */
  mentionsConfig: boolean;
  /** Its value holds a credential. */
  isSecret: boolean;
}

/** One member that the entry adds to bodies, at `path` through nested objects. */
export interface PlannedMember {
  path: string[];
  template: Template;
  /** Its value holds a credential. */
  isSecret: boolean;
}

/** An entry's rules for requests; templates are parsed once. */
export interface RequestPlan {
  entry: ProviderEntry;
  baseUrl: Template | undefined;
  headers: PlannedHeader[];
  query: Array<[name: string, template: Template]>;
  body: PlannedMember[];
  /** Hosts that the entry itself names and that may be loopback or private. */
  literalHosts: string[];
}

/** Parses the entry's rules for requests. */
export function planRequests(entry: ProviderEntry): RequestPlan {
  const { base_url: baseUrl, headers = {}, query = {}, body = {} } = entry.proxy ?? {};
  return {
    entry,
    baseUrl: baseUrl === undefined ? undefined : parseTemplate(baseUrl),
    headers: Object.entries(headers).map(([name, text]) => planHeader(name, text, entry)),
    query: Object.entries(query).map(([name, text]) => [name, parseTemplate(text)]),
    body: planBody(body, [], entry),
    literalHosts: privateHostsOf(entry, [baseUrl, entry.proxy?.verification?.base_url_override]),
  };
}

export function planHeader(name: string, text: string, entry: ProviderEntry): PlannedHeader {
  const template = parseTemplate(text);
  return {
    name,
    template,
    mentionsConfig: /connection_?config/i.test(text),
    isSecret: holdsSecret(template, entry),
  };
}

/** Whether the template reads a credential or a secret member of the configuration. */
function holdsSecret(template: Template, entry: ProviderEntry): boolean {
  const config = pathsOf(template).flatMap((path) => /^connection_?[cC]onfig\.([^.]+)/.exec(path)?.[1] ?? []);
  return (
    readsSecret(template.source) ||
    config.some((name) => Object.keys(splitConfig({ [name]: true }, entry).secret).length > 0)
  );
}

function planBody(body: BodyTemplate, prefix: string[], entry: ProviderEntry): PlannedMember[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const path = [...prefix, name];
    if (typeof value !== 'string') return planBody(value, path, entry);
    const template = parseTemplate(value);
    return [{ path, template, isSecret: holdsSecret(template, entry) }];
  });
}
