import type { RawDefinition } from '../../runtime/bridge.ts';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { FunctionKind } from '../function-path.ts';
import type { DefinitionInput, ReadDefinition } from './definition-input.ts';
import { actionProps, onEventProps } from './definition-props.ts';
import { functionModelName } from './model-names.ts';
import { optionErrors } from './option-errors.ts';
import { readSync } from './read-sync.ts';

const KINDS: Record<RawDefinition['type'], FunctionKind | undefined> = {
  sync: 'sync',
  action: 'action',
  onEvent: 'on-event',
  function: undefined,
};

const DEFINERS: Record<FunctionKind, string> = {
  sync: 'createSync',
  action: 'createAction',
  'on-event': 'createOnEvent',
};

const READERS: Record<FunctionKind, (input: DefinitionInput) => ReadDefinition> = {
  sync: readSync,
  action: readAction,
  'on-event': readOnEvent,
};

/** Validates a raw definition and converts it to the hub's metadata (functions.md 2.4, 2.5). */
export function readDefinition(input: DefinitionInput): ReadDefinition {
  const { location, raw, source } = input;
  if (KINDS[raw.type] !== location.kind) {
    const message = `A file of this folder must use ${DEFINERS[location.kind]}. Use it, or move the file to the folder of its kind.`;
    return { diagnostics: [source.error('invalid_definition_type', message, '')] };
  }
  const missingExec = source.mayHave('exec') ? [] : [source.error('invalid_definition', 'exec is missing.', '')];
  const read = READERS[location.kind](input);
  return { ...read, diagnostics: [...missingExec, ...read.diagnostics] };
}

function readAction({ location, raw, source, features }: DefinitionInput): ReadDefinition {
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
      ...(props.data.untrustedOutput === undefined ? {} : { untrusted_output: props.data.untrustedOutput }),
      ...(raw.hasUndo ? { undo: true as const } : {}),
      json_schema: { definitions: { [input]: raw.input, [output]: raw.output } },
      features,
    },
    diagnostics,
  };
}

function readOnEvent({ location, raw, source }: DefinitionInput): ReadDefinition {
  const props = onEventProps.safeParse(raw.props);
  if (!props.success) return { diagnostics: optionErrors(source, props.error) };
  return { definition: { type: 'on-event', name: location.name, ...props.data }, diagnostics: [] };
}
