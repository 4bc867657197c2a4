import { isoDate } from '../platform/lib/dates.ts';
import { modelSchema } from '../platform/lib/model-schema.ts';
import type { DeployedFunction } from './deployments/deployed-function.ts';
import { functionSource } from './function.present.ts';

/** One integration's functions as `GET /scripts/config` lists them (http-api.md 13). */
export function presentScriptConfig(
  providerConfigKey: string,
  provider: string,
  functions: DeployedFunction[],
): Record<string, unknown> {
  return {
    providerConfigKey,
    provider,
    syncs: functions.flatMap(presentSync),
    actions: functions.flatMap(presentAction),
    'on-events': functions.flatMap(presentOnEvent),
  };
}

function presentSync(one: DeployedFunction): Record<string, unknown>[] {
  const { definition } = one;
  if (definition?.type !== 'sync') return [];
  return [
    {
      ...presentShared(one),
      type: 'sync',
      returns: definition.output,
      ...(definition.input ? { input: definition.input } : {}),
      endpoints: definition.endpoints.map(({ group, ...endpoint }) => ({ ...endpoint, group: group ?? null })),
      scopes: definition.scopes,
      webhookSubscriptions: definition.webhookSubscriptions,
      json_schema: definition.json_schema,
      models: definition.output.map((name) => ({ name, fields: [] })),
      features: definition.features,
      sync_type: definition.sync_type,
      auto_start: definition.auto_start,
      runs: definition.runs,
      track_deletes: definition.track_deletes,
    },
  ];
}

function presentAction(one: DeployedFunction): Record<string, unknown>[] {
  const { definition } = one;
  if (definition?.type !== 'action') return [];
  const { endpoint } = definition;
  return [
    {
      ...presentShared(one),
      type: 'action',
      returns: definition.output,
      ...(definition.input ? { input: definition.input } : {}),
      endpoints: endpoint ? [{ method: endpoint.method, path: endpoint.path, group: endpoint.group ?? null }] : [],
      scopes: definition.scopes,
      webhookSubscriptions: [],
      json_schema: definition.json_schema,
      models: definition.output.map((name) => ({ name, fields: [] })),
      features: definition.features,
    },
  ];
}

function presentOnEvent(one: DeployedFunction): Record<string, unknown>[] {
  if (one.definition?.type !== 'on-event') return [];
  return [{ ...presentShared(one), type: 'on-event', event: one.definition.event }];
}

function presentShared(one: DeployedFunction): Record<string, unknown> {
  const { attributes = {}, sdk_version = null } = one.definition?.type === 'on-event' ? {} : (one.definition ?? {});
  return {
    id: one.id,
    name: one.name,
    description: one.definition?.description ?? '',
    attributes,
    version: one.version,
    source: functionSource(one),
    enabled: one.isEnabled,
    last_deployed: isoDate(one.deployedAt ?? 0),
    sdk_version,
  };
}

interface Parameters {
  type: 'object';
  properties: Record<string, unknown>;
  required: string[];
  /** The models that the properties refer to. */
  definitions?: unknown;
}

/** A function in the form of OpenAI's tool definitions (http-api.md 13, `format=openai`). */
export function presentOpenAiTool(one: DeployedFunction): Record<string, unknown> {
  const description = one.definition?.description ?? '';
  return { name: one.name, description, parameters: parametersOf(one, description) };
}

function parametersOf({ definition }: DeployedFunction, description: string): Parameters {
  const empty: Parameters = { type: 'object', properties: {}, required: [] };
  if (definition?.type !== 'action') return empty;
  const schema = modelSchema(definition.json_schema.definitions, definition.input);
  const properties = (schema?.['properties'] ?? {}) as Record<string, object>;
  const described = Object.entries(properties).map(([name, property]) => {
    const text = describedIn(description, name);
    return [name, text === undefined ? property : { ...property, description: text }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(described),
    required: (schema?.['required'] ?? []) as string[],
    ...(schema?.['definitions'] === undefined ? {} : { definitions: schema['definitions'] }),
  };
}

/** The text of the line `- <name>: <text>` of a description; undefined without such a line. */
function describedIn(description: string, name: string): string | undefined {
  const line = description.split('\n').find((text) => text.trim().startsWith(`- ${name}:`));
  return line?.slice(line.indexOf(':') + 1).trim();
}
