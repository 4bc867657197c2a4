import type { RawDefinition } from '../../runtime/bridge.ts';
import type { FunctionKind } from '../function-path.ts';
import type { DefinitionInput, ReadDefinition } from './definition-input.ts';
import { readAction } from './read-action.ts';
import { readOnEvent } from './read-on-event.ts';
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
