import type { FunctionKind } from '../../../functions/compiler/function-path.ts';
import { parseFrequency } from '../../contract/frequency.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';

export interface OldEndpoint {
  method: string;
  path: string;
  group?: string;
}

/** A function as nango.yaml describes it. */
export interface OldFunction {
  integration: string;
  kind: FunctionKind;
  name: string;
  description: string;
  version?: string;
  scopes: string[];
  endpoints: OldEndpoint[];
  /** Types in the words of nango.yaml. */
  input?: unknown;
  output: unknown[];
  frequency?: string;
  autoStart: boolean;
  trackDeletes: boolean;
  syncType?: 'full' | 'incremental';
  webhookSubscriptions: string[];
  event?: string;
  /** What a person must know about the settings. */
  remarks: string[];
}

export interface OldConfig {
  functions: OldFunction[];
  /** The provider of integrations that are not named after it. */
  providers: Map<string, string>;
  /** Settings that are unknown here, as paths. */
  unknown: string[];
}

const SYNC_KEYS = new Set(
  'endpoint endpoints output returns description sync_type track_deletes auto_start runs scopes input version type webhook-subscriptions webhook_subscriptions'.split(
    ' ',
  ),
);
const ACTION_KEYS = new Set(
  'endpoint endpoints output returns description scopes input version type runs track_deletes auto_start'.split(' '),
);
const INTEGRATION_KEYS = new Set(['provider', 'syncs', 'actions', 'on-events', 'post-connection-scripts']);
const EVENTS = new Set(['post-connection-creation', 'pre-connection-deletion', 'validate-connection']);

/** Reads the section `integrations` of a nango.yaml, of both versions. */
export function readOldConfig(values: unknown): OldConfig {
  const config: OldConfig = { functions: [], providers: new Map(), unknown: [] };
  const section = isJsonObject(values) ? values['integrations'] : undefined;
  if (!isJsonObject(section)) return config;
  for (const [integration, value] of Object.entries(section)) {
    if (!isJsonObject(value)) continue;
    if (isFirstVersion(value)) readFirstVersion(config, integration, value);
    else readIntegration(config, integration, value);
  }
  return config;
}

/** In the first version an integration contained its functions directly, each with its `type`. */
function isFirstVersion(value: Record<string, unknown>): boolean {
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([key, one]) => !INTEGRATION_KEYS.has(key) && isJsonObject(one));
}

function readFirstVersion(config: OldConfig, integration: string, value: Record<string, unknown>): void {
  for (const [name, settings] of Object.entries(value)) {
    if (!isJsonObject(settings)) continue;
    const path = `integrations.${integration}.${name}`;
    if (settings['type'] === 'action') config.functions.push(readAction(config, path, integration, name, settings));
    else config.functions.push(readSync(config, path, integration, name, settings));
  }
}

function readIntegration(config: OldConfig, integration: string, value: Record<string, unknown>): void {
  const path = `integrations.${integration}`;
  const { provider } = value;
  if (typeof provider === 'string' && provider !== integration) config.providers.set(integration, provider);
  for (const [name, settings] of entriesOf(value['syncs']))
    config.functions.push(readSync(config, `${path}.syncs.${name}`, integration, name, settings));
  for (const [name, settings] of entriesOf(value['actions']))
    config.functions.push(readAction(config, `${path}.actions.${name}`, integration, name, settings));
  const events = Object.entries(isJsonObject(value['on-events']) ? value['on-events'] : {});
  events.push(['post-connection-creation', value['post-connection-scripts'] ?? []]);
  for (const [event, names] of events) {
    if (!EVENTS.has(event)) config.unknown.push(`${path}.on-events.${event}`);
    else
      for (const name of textsOf(names)) config.functions.push(newOnEvent(integration, name, event, config.functions));
  }
  for (const key of Object.keys(value)) if (!INTEGRATION_KEYS.has(key)) config.unknown.push(`${path}.${key}`);
}

function entriesOf(value: unknown): Array<[string, Record<string, unknown>]> {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).map(([name, settings]) => [name, isJsonObject(settings) ? settings : {}]);
}

/** A function has one event. A script of several events becomes several functions. */
function newOnEvent(integration: string, script: string, event: string, before: OldFunction[]): OldFunction {
  const isTaken = before.some(
    (one) => one.integration === integration && one.kind === 'on-event' && one.name === script,
  );
  const remarks = isTaken ? [`nango.yaml ran ${script} at several events, so there is one function for each.`] : [];
  return {
    ...emptyFunction(integration, 'on-event', isTaken ? `${script}-${event}` : script),
    description: wordsOf(script),
    event,
    remarks,
  };
}

function readSync(
  config: OldConfig,
  path: string,
  integration: string,
  name: string,
  settings: Record<string, unknown>,
): OldFunction {
  noteUnknown(config, path, settings, SYNC_KEYS);
  const remarks: string[] = [];
  const runs = typeof settings['runs'] === 'string' ? settings['runs'].trim() : undefined;
  if (runs === undefined) remarks.push('nango.yaml had no frequency for it, so it runs every day, as before.');
  else {
    const parsed = parseFrequency(runs);
    if (!parsed.ok) remarks.push(`Its frequency "${runs}" cannot be used: ${parsed.message}`);
  }
  const syncType = settings['sync_type'];
  const isIncremental = typeof syncType === 'string' && syncType.toLowerCase() === 'incremental';
  const trackDeletes = settings['track_deletes'] === true;
  if (isIncremental && trackDeletes)
    remarks.push('An incremental sync cannot have trackDeletes, so it was left out. See trackDeletesStart.');
  return {
    ...emptyFunction(integration, 'sync', name),
    ...readShared(name, settings, 'GET'),
    frequency: runs ?? 'every day',
    autoStart: settings['auto_start'] !== false,
    trackDeletes: trackDeletes && !isIncremental,
    ...(typeof syncType === 'string' ? { syncType: isIncremental ? 'incremental' : 'full' } : {}),
    webhookSubscriptions: textsOf(settings['webhook-subscriptions'] ?? settings['webhook_subscriptions']),
    remarks,
  };
}

function readAction(
  config: OldConfig,
  path: string,
  integration: string,
  name: string,
  settings: Record<string, unknown>,
): OldFunction {
  noteUnknown(config, path, settings, ACTION_KEYS);
  return { ...emptyFunction(integration, 'action', name), ...readShared(name, settings, 'POST') };
}

function readShared(
  name: string,
  settings: Record<string, unknown>,
  method: string,
): Pick<OldFunction, 'description' | 'scopes' | 'endpoints' | 'input' | 'output'> & { version?: string } {
  const { description, version, input } = settings;
  const output = settings['output'] ?? settings['returns'];
  return {
    description: typeof description === 'string' && description.trim() !== '' ? description.trim() : wordsOf(name),
    ...(version === undefined || version === null ? {} : { version: String(version) }),
    scopes: textsOf(settings['scopes']),
    endpoints: [settings['endpoint'] ?? settings['endpoints'] ?? []].flat().flatMap((one) => readEndpoint(one, method)),
    ...(input === undefined || input === null ? {} : { input }),
    output: output === undefined || output === null ? [] : [output].flat(),
  };
}

function emptyFunction(integration: string, kind: FunctionKind, name: string): OldFunction {
  return {
    integration,
    kind,
    name,
    description: wordsOf(name),
    scopes: [],
    endpoints: [],
    output: [],
    autoStart: false,
    trackDeletes: false,
    webhookSubscriptions: [],
    remarks: [],
  };
}

/** `GET /path`, `/path`, `{ method, path, group }`, or the older `{ GET: /path }`. */
function readEndpoint(value: unknown, method: string): OldEndpoint[] {
  if (typeof value === 'string') {
    const [, verb, path = ''] = /^\s*(?:(GET|POST|PUT|PATCH|DELETE)\s+)?(\S+)/i.exec(value) ?? [];
    return path === '' ? [] : [{ method: (verb ?? method).toUpperCase(), path }];
  }
  if (!isJsonObject(value)) return [];
  const { path, group } = value;
  if (typeof path === 'string')
    return [
      {
        method: String(value['method'] ?? method).toUpperCase(),
        path,
        ...(typeof group === 'string' && group !== '' ? { group } : {}),
      },
    ];
  return Object.entries(value).flatMap(([verb, route]) =>
    typeof route === 'string' ? [{ method: verb.toUpperCase(), path: route }] : [],
  );
}

function noteUnknown(config: OldConfig, path: string, settings: Record<string, unknown>, known: Set<string>): void {
  for (const key of Object.keys(settings)) if (!known.has(key)) config.unknown.push(`${path}.${key}`);
}

/** A text, a text with commas, or a list of texts. */
function textsOf(value: unknown): string[] {
  return [value ?? []]
    .flat()
    .flatMap((one) => String(one).split(','))
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function wordsOf(name: string): string {
  const words = name.replace(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
