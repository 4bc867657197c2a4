import { ActionIcon, Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import {
  exampleOf,
  FORMAT_EXAMPLES,
  type FormSchema,
  fieldOf,
  isDate,
  problemOf,
  type SchemaField,
  schemaFieldsOf,
  takesText,
  withMember,
} from '../../lib/schema-form.ts';
import classes from './Playground.module.css';
import { readJsonText } from './playground-draft.ts';

interface SchemaFieldsProps {
  fields: SchemaField[];
  /** The whole schema, for the definitions that references name. */
  root: FormSchema;
  value: unknown;
  /** Whether missing values are marked: an untouched form shows no errors. */
  marksMissing: boolean;
  onChange: (value: Record<string, unknown>) => void;
}

/** One field for each member of an object, to any depth. Emptying a field removes its member. */
export function SchemaFields({ fields, root, value, marksMissing, onChange }: SchemaFieldsProps) {
  const members = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      root={root}
      value={members[field.name]}
      marksMissing={marksMissing}
      onChange={(next) => onChange(withMember(value, field.name, next))}
    />
  ));
}

interface FieldProps {
  field: SchemaField;
  root: FormSchema;
  value: unknown;
  marksMissing: boolean;
  onChange: (value: unknown) => void;
}

function Field(props: FieldProps) {
  const { field, value, marksMissing, onChange } = props;
  // An untouched form shows no errors: the names of required fields say that they are required.
  const problem = value === undefined && !marksMissing ? undefined : problemOf(field, value);
  const shared = {
    label: field.name,
    description: field.description,
    error: problem,
    withAsterisk: field.isRequired,
  };
  switch (field.kind) {
    case 'choice':
      return (
        <Select
          {...shared}
          data={field.choices}
          value={typeof value === 'string' ? value : null}
          clearable={!field.isRequired}
          onChange={(next) => onChange(next ?? undefined)}
        />
      );
    case 'flag':
      return (
        <Checkbox
          label={field.name}
          description={field.description}
          error={problem}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'number':
      return <NumberField {...props} shared={shared} />;
    case 'text':
      return (
        <TextInput
          {...shared}
          // A text that is not a date is shown as it is; a date field would be empty.
          type={field.format === 'date' && (value === undefined || isDate(value)) ? 'date' : 'text'}
          value={typeof value === 'string' ? value : ''}
          placeholder={FORMAT_EXAMPLES[field.format ?? '']}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
        />
      );
    case 'group':
      return (
        <fieldset className={`stack gap-8 ${classes['group']}`}>
          <legend className="name">{field.name}</legend>
          {field.description && <p className="soft note pt-12 pb-12">{field.description}</p>}
          <SchemaFields
            fields={schemaFieldsOf(field.schema, props.root)}
            root={props.root}
            value={value}
            marksMissing={marksMissing && (value !== undefined || field.isRequired)}
            onChange={onChange}
          />
          {value !== undefined && problem && <p className="bad note">{problem}</p>}
        </fieldset>
      );
    case 'list':
      return <ListField {...props} problem={problem} />;
    case 'json':
      return <JsonMember {...props} shared={shared} />;
  }
}

type Shared = Pick<Parameters<typeof TextInput>[0], 'label' | 'description' | 'error' | 'withAsterisk'>;

/** A text that is not a number goes into the JSON as typed, where its error is visible: no input is dropped silently. */
function NumberField({ value, onChange, shared }: FieldProps & { shared: Shared }) {
  const [typed, setTyped] = useState<string>();
  const isTyped = typed !== undefined && typed !== '' && Number(typed) === value;
  const text = isTyped ? typed : value === undefined || value === null ? '' : String(value);
  return (
    <TextInput
      {...shared}
      inputMode="decimal"
      value={text}
      autoComplete="off"
      onChange={(event) => {
        const next = event.currentTarget.value.trim();
        setTyped(next);
        onChange(next === '' ? undefined : Number.isNaN(Number(next)) ? next : Number(next));
      }}
    />
  );
}

function ListField({
  field,
  root,
  value,
  marksMissing,
  problem,
  onChange,
}: FieldProps & { problem: string | undefined }) {
  const items = Array.isArray(value) ? value : [];
  const schema = (field.schema['items'] ?? {}) as FormSchema;
  const empty = fieldOf('', schema, root, false).kind === 'text' ? '' : null;
  const put = (index: number, next: unknown): void => onChange(items.map((one, at) => (at === index ? next : one)));
  return (
    <fieldset className={`stack gap-8 ${classes['group']}`}>
      <legend className="name">{field.name}</legend>
      {field.description && <p className="soft note pt-12 pb-12">{field.description}</p>}
      {items.map((item, index) => {
        const name = `${field.name} ${index + 1}`;
        return (
          <div
            key={name}
            className="grid gap-4"
            style={{ gridTemplateColumns: 'minmax(0, 1fr) 28px', alignItems: 'end' }}
          >
            <Field
              field={fieldOf(name, schema, root, false)}
              root={root}
              value={item}
              marksMissing={marksMissing}
              onChange={(next) => put(index, next ?? empty)}
            />
            <ActionIcon
              size={28}
              aria-label={`Remove ${name}`}
              onClick={() => onChange(items.filter((_, at) => at !== index))}
            >
              <IconX size={14} stroke={1.6} aria-hidden />
            </ActionIcon>
          </div>
        );
      })}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} stroke={1.6} aria-hidden />}
        onClick={() => onChange([...items, empty ?? exampleOf(schema, root)])}
      >
        {`Add to ${field.name}`}
      </Button>
      {problem && <p className="bad note">{problem}</p>}
    </fieldset>
  );
}

/** A JSON field for schemas without a suitable field. Other text is sent as text and gets an error if it does not fit. */
function JsonMember({ field, value, onChange, shared }: FieldProps & { shared: Shared }) {
  const [typed, setTyped] = useState<string>();
  const read = readJsonText(typed ?? '');
  const meant = 'problem' in read ? typed : read.value;
  const isShown = typed !== undefined && JSON.stringify(meant) === JSON.stringify(value);
  return (
    <Textarea
      {...shared}
      error={isShown && 'problem' in read && !takesText(field.schema) ? read.problem : shared.error}
      value={isShown ? typed : value === undefined ? '' : JSON.stringify(value, null, 2)}
      autosize
      minRows={1}
      maxRows={10}
      spellCheck={false}
      classNames={{ input: 'mono' }}
      onChange={(event) => {
        const next = event.currentTarget.value;
        setTyped(next);
        const parsed = readJsonText(next);
        onChange('problem' in parsed ? next : parsed.value);
      }}
    />
  );
}
