import { isoDate } from '../platform/lib/dates.ts';
import type { DeployedFunction, ParsedDefinition } from './deployments/deployed-function.ts';

/** `FunctionTemplate` of http-api.md 2, and the same shape of an on-event function (http-api.md 3). */
export function presentTemplate(definition: ParsedDefinition): Record<string, unknown> {
  const { name, description } = definition;
  const named = { name, ...(description === '' ? {} : { description }) };
  if (definition.type === 'on-event') return { ...named, type: definition.type, event: definition.event };
  const { input, output, json_schema: jsonSchema, scopes } = definition;
  const shared = {
    ...named,
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(input ? { input } : {}),
    returns: output,
    json_schema: jsonSchema,
  };
  if (definition.type === 'action') return { ...shared, type: definition.type };
  const { runs, auto_start, track_deletes } = definition;
  return { ...shared, type: definition.type, runs, auto_start, track_deletes };
}

/** Where the live version comes from, as a wire value. */
export function functionSource({ origin }: Pick<DeployedFunction, 'origin'>): 'standalone' | 'repo' {
  return origin === 'standalone' ? 'standalone' : 'repo';
}

/** A function with a live version. */
export function presentFunction(one: DeployedFunction & { definition: ParsedDefinition }): Record<string, unknown> {
  return {
    ...presentTemplate(one.definition),
    id: one.id,
    enabled: one.isEnabled,
    last_deployed: isoDate(one.deployedAt ?? 0),
    source: functionSource(one),
  };
}
