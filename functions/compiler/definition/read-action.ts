import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { DefinitionInput, ReadDefinition } from './definition-input.ts';
import { actionProps } from './definition-props.ts';
import { functionModelName } from './model-names.ts';
import { optionErrors } from './option-errors.ts';

export function readAction({ location, raw, source, features }: DefinitionInput): ReadDefinition {
  const props = actionProps.safeParse(raw.props);
  const diagnostics: CompileDiagnostic[] = props.success ? [] : optionErrors(source, props.error);
  for (const option of ['input', 'output'] as const) {
    if (!raw[option]) diagnostics.push(source.error('invalid_definition', `${option} must be a zod schema.`, option));
  }
  if (!props.success || !raw.input || !raw.output) return { diagnostics };

  const input = functionModelName('ActionInput', location.integration, location.name);
  const output = functionModelName('ActionOutput', location.integration, location.name);
  return {
    definition: {
      type: 'action',
      name: location.name,
      description: props.data.description,
      version: props.data.version,
      endpoint: props.data.endpoint ?? null,
      input,
      output: [output],
      usedModels: [input, output],
      scopes: props.data.scopes,
      ...(props.data.readOnly ? { read_only: true as const } : {}),
      json_schema: { definitions: { [input]: raw.input, [output]: raw.output } },
      features,
    },
    diagnostics,
  };
}
