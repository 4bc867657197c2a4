import type { DeployedFunction } from '../../services/deployments/deployed-function.ts';

interface Parameters {
  type: 'object';
  properties: Record<string, unknown>;
  required: string[];
}

/** A function in the form of OpenAI's tool definitions (http-api.md 13, `format=openai`). */
export function presentOpenAiTool(one: DeployedFunction): Record<string, unknown> {
  const description = one.definition?.description ?? '';
  return { name: one.name, description, parameters: parametersOf(one, description) };
}

function parametersOf({ definition }: DeployedFunction, description: string): Parameters {
  const empty: Parameters = { type: 'object', properties: {}, required: [] };
  if (definition?.type !== 'action') return empty;
  const schema = definition.json_schema.definitions[definition.input];
  const properties = (schema?.['properties'] ?? {}) as Record<string, object>;
  const described = Object.entries(properties).map(([name, property]) => {
    const text = describedIn(description, name);
    return [name, text === undefined ? property : { ...property, description: text }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(described),
    required: (schema?.['required'] ?? []) as string[],
  };
}

/** The text of a line `- name: text` in the description. */
function describedIn(description: string, name: string): string | undefined {
  const line = description.split('\n').find((text) => text.trim().startsWith(`- ${name}:`));
  return line?.slice(line.indexOf(':') + 1).trim();
}
