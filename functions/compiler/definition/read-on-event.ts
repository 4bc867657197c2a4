import type { DefinitionInput, ReadDefinition } from './definition-input.ts';
import { onEventProps } from './definition-props.ts';
import { optionErrors } from './option-errors.ts';

export function readOnEvent({ location, raw, source }: DefinitionInput): ReadDefinition {
  const props = onEventProps.safeParse(raw.props);
  if (!props.success) return { diagnostics: optionErrors(source, props.error) };
  return { definition: { type: 'on-event', name: location.name, ...props.data }, diagnostics: [] };
}
