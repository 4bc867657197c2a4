import { Button, Stack, Textarea } from '@mantine/core';
import { keepUnchanged, readWithDigits } from '../../lib/json-digits.ts';
import {
  exampleOf,
  type FormSchema,
  fieldOf,
  findProblems,
  problemOf,
  resolveSchema,
  schemaFieldsOf,
} from '../../lib/schema-form.ts';
import { readJsonText } from './playground-draft.ts';
import { SchemaFields } from './SchemaFields.tsx';

interface InputEditorProps {
  /** Null: the function declares no input. */
  schema: FormSchema | null;
  text: string;
  /** Whether missing values are marked, as after an attempt to run. */
  marksMissing: boolean;
  onChange: (text: string) => void;
}

/** The input as a form and as JSON side by side; a change in one updates the other. */
export function InputEditor({ schema, text, marksMissing, onChange }: InputEditorProps) {
  const read = readJsonText(text);
  const whole = schema && resolveSchema(schema, schema);
  const fields = whole ? schemaFieldsOf(whole, schema) : [];
  const value = 'problem' in read ? undefined : read.value;
  // Members have their errors in the form; an input without members has its own here.
  const own =
    schema && fields.length === 0 && (marksMissing || value !== undefined) && findProblems(schema, value).length;
  const problem = own ? problemOf(fieldOf('input', schema, schema, true), value) : undefined;
  const write = (value: unknown): void => onChange(JSON.stringify(value, null, 2));
  // The form works with plain numbers: what it does not change keeps the digits of the text.
  const writeForm = (next: unknown): void => write(keepUnchanged(text.trim() && readWithDigits(text), value, next));
  return (
    <section className="pt-4" aria-label="Input">
      <header className="row gap-0 between" style={{ minHeight: 32 }}>
        <h2>Input</h2>
        {schema && (
          <Button size="xs" variant="subtle" onClick={() => write(exampleOf(schema, schema))}>
            Fill in an example
          </Button>
        )}
      </header>
      <div className="grid gap-16" style={{ gridTemplateColumns: 'repeat(auto-fit, minmax(200px, 1fr))' }}>
        {schema && fields.length > 0 && (
          <Stack gap={10} miw={0}>
            {'problem' in read ? (
              <p className="soft note pt-12 pb-12">The form follows as soon as the JSON can be read.</p>
            ) : (
              <SchemaFields
                fields={fields}
                root={schema}
                value={read.value}
                marksMissing={marksMissing}
                onChange={writeForm}
              />
            )}
          </Stack>
        )}
        <Textarea
          label="JSON"
          value={text}
          autosize
          minRows={6}
          maxRows={24}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          error={'problem' in read ? read.problem : problem}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      {schema === null && <p className="soft note pt-12 pb-12">The action declares no input.</p>}
    </section>
  );
}
