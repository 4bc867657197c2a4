import { TextInput, type TextInputProps } from '@mantine/core';

/** A field for ids, addresses, paths and names of code. */
export const CodeInput = (props: TextInputProps) => (
  <TextInput spellCheck={false} autoComplete="off" classNames={{ input: 'mono' }} {...props} />
);
