import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { searchOptions } from './search-options.ts';

type IntegrationsSelectProps = Pick<MultiSelectProps, 'mt' | 'error'> & {
  integrations: ReadonlyArray<{ key: string; displayName: string | null }>;
  /** Keys; an empty list means all. */
  value: string[];
  onChange: (keys: string[]) => void;
};

/** A choice of integrations. */
export function IntegrationsSelect({ integrations, value, ...props }: IntegrationsSelectProps) {
  const choices = new Map(integrations.map(({ key, displayName }) => [key, displayName ?? key]));
  // An integration that was deleted or does not exist yet.
  for (const key of value) if (!choices.has(key)) choices.set(key, key);
  return (
    <MultiSelect
      label="Integrations"
      placeholder={value.length === 0 ? 'All integrations' : ''}
      searchable
      filter={searchOptions}
      nothingFoundMessage="No integration matches."
      data={[...choices].map(([key, label]) => ({ value: key, label }))}
      value={value}
      {...props}
    />
  );
}
