import { PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import type { ChangeEvent } from 'react';
import type { DashboardField } from '../../api/contract.ts';

interface FieldInputProps {
  field: DashboardField;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  /** Shown in an empty secret field whose value is stored. */
  placeholder?: string | undefined;
}

function describe(field: DashboardField): string | undefined {
  const affix = field.prefix || field.suffix ? `${field.prefix ?? ''}…${field.suffix ?? ''}` : undefined;
  const example = field.example ? `Example: ${field.example}` : affix;
  return [field.description, example].filter(Boolean).join(' ') || undefined;
}

/** Undefined when the value is valid; an optional field may be empty. */
export function fieldError(field: DashboardField, value: string): string | undefined {
  if (value === '') return field.optional ? undefined : `${field.title} is required.`;
  if (field.pattern && !new RegExp(field.pattern).test(value)) return `${field.title} does not have the expected form.`;
  return undefined;
}

export function FieldInput({ field, value, onChange, error, placeholder }: FieldInputProps) {
  const shared = {
    label: field.optional ? `${field.title} (optional)` : field.title,
    description: describe(field),
    value,
    error,
    spellCheck: false,
    autoComplete: 'off',
    ...(placeholder === undefined ? {} : { placeholder }),
  };
  const onInput = (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>): void =>
    onChange(event.currentTarget.value);
  if (field.enum) return <Select {...shared} data={field.enum} onChange={(next) => onChange(next ?? '')} />;
  if (field.multiline) return <Textarea {...shared} rows={5} onChange={onInput} classNames={{ input: 'mono' }} />;
  if (field.secret) return <PasswordInput {...shared} onChange={onInput} />;
  return <TextInput {...shared} onChange={onInput} />;
}
