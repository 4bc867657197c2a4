import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { isRedirectMismatch } from '../../api/contract.ts';
import { Section } from '../../components/page/Section.tsx';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { PlainTable } from '../../components/table/PlainTable.tsx';
import { adviseOnAddress, type ComparedPart, compareAddresses, readPasted } from '../../lib/redirect-comparison.ts';
import classes from './CallbackDoctor.module.css';

/** Compares the address in a pasted text with the expected one. */
export function AddressComparison({ expected }: { expected: string }) {
  const url = useUrlState();
  const [text, setText] = useState(url.get('pasted') ?? '');
  return (
    <Section title="Compare with what the provider says">
      <Textarea
        label="Address or text of its error page"
        description="The registered address works too. What you paste stays in this page."
        rows={3}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div role="status">{text.trim() !== '' && <Comparison text={text} expected={expected} />}</div>
    </Section>
  );
}

function Comparison({ text, expected }: { text: string; expected: string }) {
  const pasted = readPasted(text, expected);
  if (!pasted) {
    return (
      <p className="name breaks pt-12 pb-8">
        {isRedirectMismatch(text)
          ? `The provider refuses the callback address and does not say which one it received. Register ${expected}, or paste the address of the page before.`
          : 'No callback address was found. Paste the address of the error page, or all of its text.'}
      </p>
    );
  }
  return (
    <>
      <p className="name breaks pt-12 pb-8">{adviseOnAddress(pasted, expected)}</p>
      <PlainTable
        className={classes['parts']}
        head={['Part', pasted.kind === 'asked' ? 'Asked with' : 'Registered', 'Should be']}
      >
        {compareAddresses(pasted.address, expected).map((part) => (
          <PartRow key={part.name} part={part} />
        ))}
      </PlainTable>
    </>
  );
}

const DIFFERENCES: Record<NonNullable<ComparedPart['difference']>, string> = {
  case: 'Upper and lower case',
  slash: 'Trailing slash',
  encoding: 'Encoding',
  other: 'Differs',
};

function PartRow({ part: { name, pasted, expected, difference } }: { part: ComparedPart }) {
  return (
    <tr data-differs={difference}>
      <th className="small soft name" scope="row">
        {name}
        {difference && (
          <span className="bad" style={{ display: 'block' }}>
            {DIFFERENCES[difference]}
          </span>
        )}
      </th>
      <td>{pasted === '' ? <span className="faint">none</span> : <code>{pasted}</code>}</td>
      <td>{expected === '' ? <span className="faint">none</span> : <code>{expected}</code>}</td>
    </tr>
  );
}
