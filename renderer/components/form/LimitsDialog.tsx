import { Button, Group, MultiSelect, NumberInput, Select, Stack, TagsInput, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { LimitedRow, LimitsForm } from '../../api/contract.ts';
import { ApiError, describeError } from '../../lib/api-error.ts';
import { formatNumber } from '../../lib/format-number.ts';
import { OpenModal } from '../notice/OpenModal.tsx';

type Name = keyof LimitedRow['limits'];
type Value = LimitedRow['limits'][Name];
type Changes = NonNullable<LimitsForm['limits']>;

/** `default`: as others of its kind; `none`: no limit; `own`: the value. */
interface Field {
  choice: 'default' | 'none' | 'own';
  value: Value;
}

interface Shown {
  name: Name;
  label: string;
  description: string;
}

const NUMBERS: readonly Shown[] = [
  { name: 'callsPerMinute', label: 'Calls a minute', description: 'In any 60 seconds.' },
  { name: 'calls', label: 'Calls', description: 'In all.' },
  { name: 'writes', label: 'Writes', description: 'Calls that change something, in all.' },
  { name: 'cost', label: 'Cost', description: 'The sum of what functions report, in all.' },
  { name: 'repeats', label: 'The same call in a row', description: 'After so many times you are asked.' },
];
const LISTS: readonly Shown[] = [
  {
    name: 'hosts',
    label: 'Hosts',
    description: 'The only ones for requests. *.example.com stands for every host below it.',
  },
  { name: 'methods', label: 'Methods', description: 'The only ones for requests.' },
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

interface LimitsDialogProps {
  title: string;
  row: LimitedRow;
  isPending: boolean;
  error: Error | null;
  onClose: () => void;
  /** Null takes all limits of its own back. */
  onSave: (limits: Changes | null) => void;
}

/** The limits of one key, program, session, or of all sessions. Only what was changed here is sent. */
export function LimitsDialog({ title, row, isPending, error, onClose, onSave }: LimitsDialogProps) {
  const [fields, setFields] = useState(() => fieldsOf(row));
  const change = (name: Name, part: Partial<Field>): void =>
    setFields((old) => ({ ...old, [name]: { ...old[name], ...part } }));
  const changes = changesOf(fields, fieldsOf(row));
  const isUnchanged = Object.keys(changes).length === 0;
  const isIncomplete = Object.values(fields).some(({ choice, value }) => choice === 'own' && value === null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isUnchanged && !isIncomplete) onSave(changes);
  };
  const issues = error instanceof ApiError ? error.issues : [];
  const problemOf = (name: Name): string | undefined => issues.find(({ path }) => path.includes(name))?.message;
  const whole = error && issues.length === 0 ? describeError(error).message : '';
  return (
    <OpenModal onClose={onClose} title={title} size={560}>
      <form onSubmit={submit} noValidate>
        <Stack gap={16}>
          {[...NUMBERS, ...LISTS].map((shown) => (
            <LimitRow
              key={shown.name}
              shown={shown}
              field={fields[shown.name]}
              fallback={row.defaults[shown.name]}
              problem={problemOf(shown.name)}
              onChange={(part) => change(shown.name, part)}
            />
          ))}
          <Text size="sm" role="alert" c="var(--hp-bad)">
            {whole}
          </Text>
          <Group justify="space-between" gap={8}>
            <Button variant="subtle" disabled={row.own.length === 0 || isPending} onClick={() => onSave(null)}>
              Back to the defaults
            </Button>
            <Group gap={8}>
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={isPending} disabled={isUnchanged || isIncomplete}>
                Save
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </OpenModal>
  );
}

interface LimitRowProps {
  shown: Shown;
  field: Field;
  fallback: Value;
  problem: string | undefined;
  onChange: (part: Partial<Field>) => void;
}

function LimitRow({ shown: { description, label, name }, field, fallback, problem, onChange }: LimitRowProps) {
  const { choice, value } = field;
  const choices = [
    { value: 'default', label: `Default: ${textOf(fallback)}` },
    { value: 'none', label: 'No limit' },
    { value: 'own', label: 'Own limit' },
  ];
  const parts = (
    <>
      <Select
        label={label}
        description={description}
        allowDeselect={false}
        value={choice}
        // Where the default is no limit, that is one choice.
        data={choices.filter((one) => one.value !== 'none' || fallback !== null || choice === 'none')}
        onChange={(next) => onChange({ choice: next as Field['choice'] })}
      />
      {choice === 'own' && (
        <LimitValue label={`${label}, own limit`} name={name} value={value} problem={problem} onChange={onChange} />
      )}
    </>
  );
  return LISTS.some((one) => one.name === name) ? (
    <Stack gap={8}>{parts}</Stack>
  ) : (
    <Group gap={8} align="flex-end" wrap="nowrap" grow>
      {parts}
    </Group>
  );
}

function LimitValue(props: {
  label: string;
  name: Name;
  value: Value;
  problem: string | undefined;
  onChange: (part: Partial<Field>) => void;
}) {
  const { label, name, onChange, problem, value } = props;
  const named = Array.isArray(value) ? value : [];
  if (name === 'hosts')
    return (
      <TagsInput aria-label={label} value={named} error={problem} onChange={(hosts) => onChange({ value: hosts })} />
    );
  if (name === 'methods')
    return (
      <MultiSelect
        aria-label={label}
        data={METHODS}
        value={named}
        error={problem}
        onChange={(methods) => onChange({ value: methods })}
      />
    );
  return (
    <NumberInput
      aria-label={label}
      min={0}
      allowNegative={false}
      allowDecimal={name === 'cost'}
      hideControls
      value={typeof value === 'number' ? value : ''}
      error={problem}
      onChange={(number) => onChange({ value: number === '' ? null : Number(number) })}
    />
  );
}

const fieldsOf = ({ limits, own }: LimitedRow): Record<Name, Field> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [
      name,
      { choice: own.some((one) => one === name) ? (value === null ? 'none' : 'own') : 'default', value },
    ]),
  ) as Record<Name, Field>;

function changesOf(fields: Record<Name, Field>, before: Record<Name, Field>): Changes {
  const meant = ({ choice, value }: Field) => (choice === 'own' ? value : choice === 'none' ? null : 'default');
  const changed = Object.entries(fields).filter(
    ([name, field]) => JSON.stringify(meant(field)) !== JSON.stringify(meant(before[name as Name])),
  );
  return Object.fromEntries(changed.map(([name, field]) => [name, meant(field)]));
}

function textOf(value: Value): string {
  if (value === null) return 'no limit';
  return typeof value === 'number' ? formatNumber(value) : value.join(', ') || 'none';
}
