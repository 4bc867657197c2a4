import { Checkbox, Group, SegmentedControl, TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import type { OfferedOperation } from '../../api/contract.ts';
import type { WantedOperation } from '../../api/functions/openapi-functions.ts';
import type { ResponseOf } from '../../api/request.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { DescribedNotes } from './DescribedNotes.tsx';
import classes from './OpenApiFunctions.module.css';

export type ReadApi = ResponseOf<'POST /api/v1/integrations/:integrationKey/api-description'>;

/** Longer lists are searched, not scrolled. */
const SHOWN = 100;
const MOST_AT_ONCE = 50;
const KINDS = [
  { value: 'all', label: 'All' },
  { value: 'sync', label: 'Syncs' },
  { value: 'action', label: 'Actions' },
];

/** The operations of a description, to be searched and ticked, with what each would become. */
export function DescribedOperations({
  chosen,
  found: { operations, title },
  onToggle,
}: {
  found: ReadApi;
  chosen: WantedOperation[];
  onToggle: (one: OfferedOperation) => void;
}) {
  const [search, setSearch] = useState('');
  const [kind, setKind] = useState('all');
  const [at, setAt] = useState(0);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = operations.filter((one) => {
    const text = `${one.operation} ${one.summary} ${one.name}`.toLowerCase();
    return (kind === 'all' || one.kind === kind) && words.every((word) => text.includes(word));
  });
  const shown = matching.slice(0, SHOWN);
  const more = matching.length - shown.length;
  const isFull = chosen.length >= MOST_AT_ONCE;
  return (
    <section className="stack gap-12" style={{ minWidth: 0 }} aria-label="Operations">
      <Group gap={8}>
        <TextInput
          style={{ flex: '1 1 180px' }}
          type="search"
          aria-label="Search operations"
          placeholder={`Search ${formatCount(operations.length, 'operation', 'operations')} of ${title || 'the API'}`}
          spellCheck={false}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <SegmentedControl aria-label="Which operations" data={KINDS} value={kind} onChange={setKind} />
      </Group>
      {matching.length === 0 ? (
        <p className="soft">
          {operations.length === 0 ? 'The description has no operations.' : 'No operation matches.'}
        </p>
      ) : (
        <ul className={`line-above scroll ${classes['operations']}`} onKeyDown={moveFocus}>
          {shown.map((one, index) => {
            const isChosen = chosen.some(({ operation }) => operation === one.operation);
            return (
              <li key={one.operation} className="line-below">
                <Checkbox
                  classNames={{ root: classes['operation'] ?? '', labelWrapper: classes['label'] ?? '' }}
                  checked={isChosen}
                  disabled={isFull && !isChosen}
                  // One stop of the Tab key; arrows go on from there.
                  tabIndex={index === Math.min(at, shown.length - 1) ? 0 : -1}
                  onFocus={() => setAt(index)}
                  onChange={() => onToggle(one)}
                  label={<OperationText {...one} />}
                />
              </li>
            );
          })}
          {more > 0 && <li className="faint" style={{ padding: 8 }}>{`And ${more} more. Search to see them.`}</li>}
        </ul>
      )}
    </section>
  );
}

function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const boxes = [...event.currentTarget.querySelectorAll<HTMLInputElement>('input[type=checkbox]')];
  boxes[boxes.indexOf(document.activeElement as HTMLInputElement) + step]?.focus();
}

function OperationText({
  idField,
  isDeprecated,
  kind,
  list,
  method,
  notes,
  paging,
  path,
  since,
  summary,
}: OfferedOperation) {
  const facts = [
    ...(list ? [`list ${list}`] : []),
    ...(paging === null ? [] : [`next page ${paging}`]),
    ...(idField === null ? [] : [`id ${idField}`]),
    ...(since === null ? [] : [`changes ${since}`]),
  ];
  return (
    <>
      <span className="row gap-8">
        <code className={`soft ${classes['method']}`}>{method}</code>
        <code className="name breaks">{path}</code>
        {isDeprecated && (
          <span className="row rigid">
            <Tag>deprecated</Tag>
          </span>
        )}
        <span className="at-end">
          <Tag>{kind}</Tag>
        </span>
      </span>
      {summary !== '' && <span className="soft">{summary}</span>}
      {kind === 'sync' && facts.length > 0 && <span className="faint">{facts.join(', ')}</span>}
      <DescribedNotes notes={notes} />
    </>
  );
}
