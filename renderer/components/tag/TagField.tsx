import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { suggestedTags, writtenTag } from '../../lib/tag-suggestions.ts';

/** Tags of the environment in the form `name: value`, and the search among them. */
export interface TagSource {
  data: ReadonlyArray<{ value: string }> | undefined;
  search: (text: string) => void;
}

interface TagFieldProps extends Omit<AutocompleteProps, 'data' | 'onChange' | 'value'> {
  value: string;
  tags: ReadonlyArray<readonly [name: string, value: string]>;
  known: TagSource;
  onChange: (text: string) => void;
}

/** The field for a new tag; tags that the environment has are suggested as it is typed. */
export function TagField({ value, tags, known, onChange, ...field }: TagFieldProps) {
  const { names, tags: whole } = suggestedTags(known.data?.map((one) => one.value) ?? [], value, tags);
  return (
    <Autocomplete
      {...field}
      value={value}
      data={[...names, ...whole]}
      // They fit already; the server found them.
      filter={({ options }) => options}
      comboboxProps={{ width: 240, position: 'bottom-start' }}
      maxDropdownHeight={200}
      onFocus={() => known.search(writtenTag(value))}
      onChange={(text) => {
        known.search(writtenTag(text));
        onChange(text);
      }}
    />
  );
}
