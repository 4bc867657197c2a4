import { ActionIcon, Button, Checkbox, Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle, IconCode, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { DescribedOperation } from '../../api/contract.ts';
import {
  describedPreviewQueryOptions,
  descriptionAddressQueryOptions,
  useWriteDescribed,
  type WantedOperation,
  type WrittenDescribed,
} from '../../api/functions/described-functions.ts';
import { functionQueryOptions } from '../../api/functions/functions-queries.ts';
import type { ResponseOf } from '../../api/request.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { type DescriptionPlace, DescriptionSource } from '../../components/form/DescriptionSource.tsx';
import { useUnsaved } from '../../components/form/unsaved-context.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useShell } from '../../components/shell-context.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { FUNCTION_LOOK, lookOf, TEST_LOOK } from '../../lib/status.ts';
import classes from './DescribedFunctions.module.css';

const CodeView = lazy(async () => ({ default: (await import('../../components/code/CodeView.tsx')).CodeView }));

type Read = ResponseOf<'POST /api/v1/integrations/:integrationKey/api-description'>;

/** Longer lists are searched, not scrolled. */
const SHOWN = 100;
const MOST_AT_ONCE = 50;
const KINDS = [
  { value: 'all', label: 'All' },
  { value: 'sync', label: 'Syncs' },
  { value: 'action', label: 'Actions' },
];

/** Functions from operations of the integration's API description, each with a recorded run. */
export function DescribedFunctions({
  integration,
  integrationKey,
}: {
  integration: ReactNode;
  integrationKey: string;
}) {
  const env = useEnv();
  const known = useQuery(descriptionAddressQueryOptions(env, integrationKey));
  const read = useChange('POST /api/v1/integrations/:integrationKey/api-description', { ownError: true });
  const [place, setPlace] = useState<DescriptionPlace>({});
  const take = (body: DescriptionPlace): void => {
    setPlace(body);
    read.mutate({ params: { integrationKey }, body });
  };
  const isReady = integrationKey !== '' && known.data !== undefined;
  return (
    <div className="stack gap-16" style={{ padding: '16px var(--hp-gutter) 32px' }}>
      <div className={classes['source']}>
        {integration}
        {isReady && (
          <DescriptionSource
            key={integrationKey}
            description="Of an OpenAPI description, often openapi.json"
            initial={known.data}
            isReading={read.isPending}
            isRead={read.data !== undefined}
            onRead={take}
          />
        )}
      </div>
      {known.error && <ErrorPanel error={known.error} onRetry={() => void known.refetch()} />}
      {read.error && !read.isPending && <ErrorPanel error={read.error} />}
      {read.data && !read.isPending && (
        <Choice key={`${integrationKey} ${read.data.hash}`} {...{ integrationKey, place }} found={read.data} />
      )}
    </div>
  );
}

interface ChoiceProps {
  integrationKey: string;
  place: DescriptionPlace;
  found: Read;
}

function Choice({ found, integrationKey, place }: ChoiceProps) {
  const { hash, operations } = found;
  const [chosen, setChosen] = useState<WantedOperation[]>([]);
  const [withTypes, setWithTypes] = useState(true);
  const write = useWriteDescribed(integrationKey);
  useUnsaved('New functions', chosen.length > 0 && write.data === undefined);
  const toggle = ({ kind, name, operation }: DescribedOperation): void =>
    setChosen((before) =>
      before.some((one) => one.operation === operation)
        ? before.filter((one) => one.operation !== operation)
        : [...before, { kind, name, operation }],
    );
  if (write.data)
    return (
      <Written
        {...{ integrationKey }}
        functions={write.data.functions}
        types={write.data.types}
        onMore={() => {
          setChosen([]);
          write.reset();
        }}
      />
    );
  return (
    <div className={classes['choice']}>
      <OperationList found={found} chosen={chosen} onToggle={toggle} />
      <section className="card sunken" aria-label="Chosen operations">
        {chosen.length === 0 ? (
          <p className="soft" style={{ padding: 16 }}>
            Tick operations. What reads a list becomes a sync, everything else an action. You see the code before it is
            written.
          </p>
        ) : (
          <Chosen
            {...{ chosen, setChosen, hash, integrationKey, operations }}
            address={place.address}
            types={{ withTypes, setWithTypes }}
            isWriting={write.isPending}
            error={write.isPending ? null : write.error}
            onWrite={() => write.mutate({ ...place, hash, operations: chosen, withTypes })}
          />
        )}
      </section>
    </div>
  );
}

function OperationList({
  chosen,
  found: { operations, title },
  onToggle,
}: {
  found: Read;
  chosen: WantedOperation[];
  onToggle: (one: DescribedOperation) => void;
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
}: DescribedOperation) {
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
        {isDeprecated && <Tag>deprecated</Tag>}
        <span className="at-end">
          <Tag>{kind}</Tag>
        </span>
      </span>
      {summary !== '' && <span className="soft">{summary}</span>}
      {kind === 'sync' && facts.length > 0 && <span className="faint">{facts.join(', ')}</span>}
      {notes.map((note) => (
        <span key={note} className={`warn ${classes['note']}`}>
          <IconAlertTriangle size={14} aria-hidden />
          {note}
        </span>
      ))}
    </>
  );
}

interface ChosenProps {
  integrationKey: string;
  address: string | undefined;
  hash: string;
  operations: DescribedOperation[];
  chosen: WantedOperation[];
  setChosen: (change: (before: WantedOperation[]) => WantedOperation[]) => void;
  types: { withTypes: boolean; setWithTypes: (isWanted: boolean) => void };
  isWriting: boolean;
  error: Error | null;
  onWrite: () => void;
}

function Chosen(props: ChosenProps) {
  const { address, chosen, error, hash, integrationKey, isWriting, onWrite, operations, setChosen, types } = props;
  const env = useEnv();
  const [settled] = useDebouncedValue(chosen, 200);
  const isNamed = settled.every(({ name }) => name.trim() !== '');
  const preview = useQuery(
    describedPreviewQueryOptions(env, integrationKey, { address, hash, operations: isNamed ? settled : [] }),
  );
  const [openCode, setOpenCode] = useState<string>();
  const isCurrent = settled === chosen && isNamed && preview.isSuccess && !preview.isPlaceholderData;
  const change = (operation: string, parts: Partial<WantedOperation>): void =>
    setChosen((before) => before.map((one) => (one.operation === operation ? { ...one, ...parts } : one)));
  const hasProblem = preview.data?.functions.some(({ problem }) => problem !== null) ?? true;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isCurrent && !hasProblem) onWrite();
      }}
    >
      <ul className={classes['chosen']}>
        {chosen.map(({ kind, name, operation }, index) => {
          const shown = isCurrent ? preview.data?.functions[index] : undefined;
          const described = operations.find((one) => one.operation === operation);
          return (
            <li key={operation} className="line-below stack gap-8">
              <div className="row gap-8 at-bottom">
                <CodeInput
                  style={{ flex: 1 }}
                  label={operation}
                  classNames={{ input: 'mono', label: classes['wish'] ?? '' }}
                  value={name}
                  error={shown?.problem ?? undefined}
                  onChange={(event) => change(operation, { name: event.currentTarget.value })}
                />
                {described?.list != null && (
                  <Select
                    w={104}
                    aria-label={`What ${operation} becomes`}
                    data={['sync', 'action']}
                    value={kind}
                    allowDeselect={false}
                    onChange={(next) => {
                      if (next === 'sync' || next === 'action') change(operation, { kind: next });
                    }}
                  />
                )}
                <ActionIcon
                  variant="default"
                  size={32}
                  aria-label={`Code of ${name}`}
                  aria-expanded={openCode === operation}
                  onClick={() => setOpenCode(openCode === operation ? undefined : operation)}
                >
                  <IconCode size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  size={32}
                  aria-label={`Leave out ${operation}`}
                  onClick={() => setChosen((before) => before.filter((one) => one.operation !== operation))}
                >
                  <IconX size={16} />
                </ActionIcon>
              </div>
              {openCode === operation && shown && (
                <div className={`frame scroll ${classes['code']}`}>
                  <Suspense fallback={<PartLoading />}>
                    <CodeView key={shown.code} code={shown.code} label={shown.file} />
                  </Suspense>
                </div>
              )}
            </li>
          );
        })}
      </ul>
      <div className="stack gap-12" style={{ padding: 16 }}>
        <Checkbox
          checked={types.withTypes}
          onChange={(event) => types.setWithTypes(event.currentTarget.checked)}
          label="Types of the API"
          description="Your editor and the check then know its paths, values and answers"
        />
        {preview.error && !preview.isFetching && <ErrorPanel error={preview.error} />}
        {error && <ErrorPanel error={error} />}
        <Button type="submit" disabled={!isCurrent || hasProblem} loading={isWriting}>
          Write {formatCount(chosen.length, 'function', 'functions')}
        </Button>
      </div>
    </form>
  );
}

function Written({
  functions,
  integrationKey,
  onMore,
  types,
}: {
  functions: WrittenDescribed[];
  integrationKey: string;
  types: string | null;
  onMore: () => void;
}) {
  return (
    <section className="stack gap-12" aria-label="Written functions">
      <h2>{formatCount(functions.length, 'function', 'functions')} in your functions folder</h2>
      <p className="soft">
        Syncs do not start by themselves. Try each on a connection first: a dry run in the playground stores nothing.
      </p>
      <ul className="line-above">
        {functions.map((one) => (
          <WrittenRow key={one.file} integrationKey={integrationKey} one={one} />
        ))}
        {types !== null && (
          <li className="line-below" style={{ padding: '12px 8px' }}>
            <code className="breaks">{types}</code>
          </li>
        )}
      </ul>
      <Group gap={8}>
        <Button variant="default" onClick={onMore}>
          Choose more operations
        </Button>
      </Group>
    </section>
  );
}

function WrittenRow({ integrationKey, one }: { integrationKey: string; one: WrittenDescribed }) {
  const env = useEnv();
  const { openPlayground } = useShell();
  const ref = { integrationKey, type: one.type, name: one.name };
  // The check of its types ends later, and an event brings the result.
  const { data } = useQuery(functionQueryOptions(env, ref));
  return (
    <li className="line-below stack gap-4" style={{ padding: '12px 8px' }}>
      <div className="row wrap gap-12">
        <Link className="name" to={paths.function(env, ref)}>
          {one.name}
        </Link>
        <Tag>{one.type}</Tag>
        {data && <StatusBadge look={lookOf(FUNCTION_LOOK, data.status)} />}
        {one.outcome !== null && (
          <span className="row gap-4">
            <span className="faint">Recorded run</span>
            <StatusBadge look={lookOf(TEST_LOOK, one.outcome)} />
          </span>
        )}
        <Button
          className="at-end"
          size="xs"
          variant="default"
          aria-label={`Open ${one.name} in the playground`}
          onClick={() => openPlayground({ kind: one.type, integrationKey, name: one.name })}
        >
          Playground
        </Button>
      </div>
      <code className="faint breaks">{one.file}</code>
      {data?.problem && <p className="warn breaks">{data.problem.message}</p>}
      {one.notes.map((note) => (
        <p key={note} className={`warn ${classes['note']}`}>
          <IconAlertTriangle size={14} aria-hidden />
          {note}
        </p>
      ))}
    </li>
  );
}
