import { TagsInput } from '@mantine/core';

interface ScopesInputProps {
  label: string;
  description?: string | undefined;
  /** As the server stores them: comma-separated. */
  value: string;
  onChange: (value: string) => void;
  /** Suggestions while typing; other scopes may be entered. */
  suggestions: readonly string[];
  error?: string | undefined;
}

export const splitScopes = (text: string): string[] => text.split(/[\s,]+/).filter((scope) => scope !== '');

/** Scopes as chips; a pasted list with commas, spaces or line breaks becomes several. */
export function ScopesInput({ label, description, value, onChange, suggestions, error }: ScopesInputProps) {
  return (
    <TagsInput
      label={label}
      description={description}
      value={splitScopes(value)}
      data={[...new Set(suggestions)]}
      splitChars={[',', ' ', '\n', '\t']}
      acceptValueOnBlur
      clearable
      error={error}
      onChange={(scopes) => onChange([...new Set(scopes.flatMap(splitScopes))].join(','))}
      classNames={{ input: 'mono' }}
    />
  );
}
