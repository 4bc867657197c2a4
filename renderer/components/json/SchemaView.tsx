import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { schemaFields, schemaType } from '../../lib/schema-fields.ts';
import { PlainTable } from '../table/PlainTable.tsx';
import { JsonViewer } from './JsonViewer.tsx';

const FORMS = [
  { value: 'fields', label: 'Fields' },
  { value: 'schema', label: 'JSON Schema' },
];

/** The form of a value: a list of members, or the schema itself. */
export function SchemaView({ schema, label }: { schema: Record<string, unknown>; label: string }) {
  const [form, setForm] = useState('fields');
  const fields = schemaFields(schema);
  const hasMeanings = fields.some(({ description }) => description !== '');
  return (
    <>
      <div className="pb-12">
        <SegmentedControl aria-label="Shown as" size="xs" data={FORMS} value={form} onChange={setForm} />
      </div>
      {form === 'schema' && <JsonViewer json={JSON.stringify(schema)} label={label} height={640} />}
      {form === 'fields' && fields.length === 0 && <p>{schemaType(schema)}</p>}
      {form === 'fields' && fields.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        <div className="scroll" tabIndex={0} role="region" aria-label={label}>
          <PlainTable head={['Field', 'Type', ...(hasMeanings ? ['Meaning'] : [])]}>
            {fields.map((field) => (
              <tr key={field.path}>
                <th scope="row" style={{ paddingLeft: field.depth * 16, whiteSpace: 'nowrap' }}>
                  <code>{field.name}</code>
                </th>
                <td className="soft">
                  {field.type}
                  {!field.isRequired && <span className="faint"> (optional)</span>}
                </td>
                {hasMeanings && <td className="soft">{field.description}</td>}
              </tr>
            ))}
          </PlainTable>
        </div>
      )}
    </>
  );
}
