import { Button, Group, Progress, Select } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { IntegrationListItem } from '../../api/contract.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useCheckConnections, useImportRow } from '../../api/transfer/transfer-mutations.ts';
import { useEnv } from '../../api/use-env.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { Section } from '../../components/page/Section.tsx';
import { PlainTable } from '../../components/table/PlainTable.tsx';
import { describeError } from '../../lib/api-error.ts';
import { csvLine } from '../../lib/csv.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import type { TextFile } from '../../lib/recognised-file.ts';
import { saveFile } from '../../lib/save-file.ts';
import {
  buildConnection,
  COLUMN_TARGETS,
  type ConnectionBody,
  columnsOf,
  connectionName,
  guessMapping,
  type ListedRow,
  type Mapping,
  readRows,
  SECRET_TARGETS,
  sampleOf,
} from './connection-rows.ts';
import classes from './TransferPages.module.css';

interface RowResult {
  /** Row number in the file, from 1. */
  row: number;
  name: string;
  state: 'ready' | 'exists' | 'refused' | 'imported' | 'failed';
  detail: string;
  body: ConnectionBody | undefined;
}

const STATE_NAMES: Record<RowResult['state'], string> = {
  ready: 'Can be imported',
  exists: 'Replaces the existing one',
  refused: 'Cannot be imported',
  imported: 'Imported',
  failed: 'Failed',
};
const SHOWN_ROWS = 200;
const CHECKED_AT_ONCE = 1000;

/** Imports connections from a table: columns are assigned, every row is checked, and each row has its own result. */
export function ConnectionListImport({ file }: { file: TextFile }) {
  const env = useEnv();
  const integrations = useQuery(integrationChoicesQueryOptions(env));
  const read = useMemo((): { rows: ListedRow[] } | { error: string } => {
    try {
      return { rows: readRows(file.name, file.text) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : 'The file cannot be read.' };
    }
  }, [file]);
  if ('error' in read) return <p role="alert">{read.error}</p>;
  if (!integrations.data) return <PageSkeleton />;
  return <Loaded rows={read.rows} integrations={integrations.data} />;
}

function Loaded({ rows, integrations }: { rows: ListedRow[]; integrations: IntegrationListItem[] }) {
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const [mapping, setMapping] = useState<Mapping>(() => guessMapping(columns));
  const [fixedIntegration, setFixed] = useState('');
  const [results, setResults] = useState<RowResult[]>();
  const [done, setDone] = useState<number>();
  const stop = useRef(false);
  /** Rises with every change of the mapping: a check of an older one says nothing about this one. */
  const version = useRef(0);
  const isOpen = useRef(false);
  // Rows that are not sent yet stay so when the page is left.
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
      stop.current = true;
    };
  }, []);
  const check = useCheckConnections();
  const importRow = useImportRow();
  const forgetResults = (): void => {
    version.current += 1;
    setResults(undefined);
  };
  const change = (next: Mapping): void => {
    setMapping(next);
    forgetResults();
  };

  const dryRun = async (): Promise<void> => {
    const checked = version.current;
    const modes = new Map(integrations.map(({ key, authMode }) => [key, authMode]));
    const built = rows.map((row) =>
      buildConnection(row, mapping, { fixedIntegration, modeOf: (key) => modes.get(key) }),
    );
    const found: RowResult[] = built.map((one, at) =>
      'problem' in one
        ? { row: at + 1, name: one.name, state: 'refused', detail: one.problem, body: undefined }
        : { row: at + 1, name: nameOf(one.body), state: 'ready', detail: '', body: one.body },
    );
    markRepeated(found);
    const open = found.filter(({ state }) => state === 'ready');
    for (let at = 0; at < open.length; at += CHECKED_AT_ONCE) {
      const part = open.slice(at, at + CHECKED_AT_ONCE);
      const { data } = await check.mutateAsync(
        part.map(({ body }) => ({
          integrationKey: body?.provider_config_key ?? '',
          connectionId: body?.connection_id,
          body: { ...body },
        })),
      );
      part.forEach((one, index) => {
        const { exists, problem } = data[index] ?? { exists: false, problem: 'was not checked' };
        if (problem !== null) Object.assign(one, { state: 'refused', detail: problem });
        else if (exists) one.state = 'exists';
      });
    }
    if (checked === version.current) setResults(found);
  };

  const run = async (): Promise<void> => {
    const found = (results ?? []).map((one) => ({ ...one }));
    const open = found.filter(({ state }) => state === 'ready' || state === 'exists');
    stop.current = false;
    for (const [index, one] of open.entries()) {
      if (stop.current || !one.body) break;
      setDone(index);
      try {
        const made = await importRow.send({ body: one.body });
        Object.assign(one, { state: 'imported', name: `${made.integrationKey}/${made.connectionId}` });
      } catch (error) {
        Object.assign(one, { state: 'failed', detail: describeError(error).message });
      }
    }
    if (isOpen.current) {
      setDone(undefined);
      setResults(found);
    } else notifyLeft(open);
    await importRow.finish();
  };

  const count = (...states: RowResult['state'][]): number =>
    results?.filter(({ state }) => states.includes(state)).length ?? 0;
  const isOver = count('imported', 'failed') > 0;
  const isRunning = done !== undefined;
  const used = new Set<string | undefined>(
    Object.entries(mapping).flatMap(([target, column]) =>
      target === 'integration' && fixedIntegration !== '' ? [] : [column],
    ),
  );
  const unused = columns.filter((column) => !used.has(column));
  const refuse = (error: unknown): void => notifyError(error);
  return (
    <Section title={formatCount(rows.length, 'row')}>
      <div
        className="grid"
        style={{ gridTemplateColumns: 'repeat(auto-fill, minmax(220px, 1fr))', gap: '12px 16px', marginBottom: 16 }}
      >
        <Select
          label="All into one integration"
          placeholder="By a column"
          clearable
          searchable
          disabled={isRunning || isOver}
          data={integrations.map(({ key }) => key)}
          value={fixedIntegration === '' ? null : fixedIntegration}
          onChange={(value) => {
            setFixed(value ?? '');
            forgetResults();
          }}
        />
        {COLUMN_TARGETS.filter(({ id }) => id !== 'integration' || fixedIntegration === '').map(({ id, label }) => (
          <Select
            key={id}
            label={label}
            // Below its field: the fields of a row stay on one line.
            inputWrapperOrder={['label', 'input', 'description']}
            description={sampleText(rows, id, mapping[id])}
            placeholder="Not in the file"
            clearable
            disabled={isRunning || isOver}
            data={columns}
            value={mapping[id] ?? null}
            onChange={(column) => {
              const { [id]: _before, ...others } = mapping;
              change(column === null ? others : { ...others, [id]: column });
            }}
          />
        ))}
      </div>
      {unused.length > 0 && (
        <p className="soft">
          {unused.length === 1 ? 'This column is' : 'These columns are'} not imported: {unused.join(', ')}.
        </p>
      )}
      {results && (
        <>
          <p role="status">
            {isOver
              ? `${formatNumber(count('imported'))} imported, ${formatNumber(count('failed'))} failed, ${formatNumber(count('refused'))} left out.`
              : `${formatNumber(count('ready'))} new, ${formatNumber(count('exists'))} replace existing ones, ${formatNumber(count('refused'))} cannot be imported.`}
          </p>
          <ResultTable results={results} />
        </>
      )}
      {isRunning && <Progress aria-label="Imported" value={(100 * done) / Math.max(count('ready', 'exists'), 1)} />}
      <Group>
        {!results && (
          <Button onClick={() => void dryRun().catch(refuse)} loading={check.isPending}>
            Check {formatCount(rows.length, 'row')}
          </Button>
        )}
        {results && !isOver && !isRunning && (
          <Button onClick={() => void run().catch(refuse)} disabled={count('ready', 'exists') === 0}>
            Import {formatCount(count('ready', 'exists'), 'connection')}
          </Button>
        )}
        {isRunning && (
          <Button
            variant="default"
            onClick={() => {
              stop.current = true;
            }}
          >
            Stop
          </Button>
        )}
        {results && !isRunning && (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
            onClick={() => saveFile('connections-result.csv', new Blob([resultFile(results)], { type: 'text/csv' }))}
          >
            Save result
          </Button>
        )}
      </Group>
    </Section>
  );
}

/** The first value of the column that was chosen, so that a wrong one is noticed before the import. */
function sampleText(rows: readonly ListedRow[], target: string, column: string | undefined): string | undefined {
  if (column === undefined) return undefined;
  const sample = sampleOf(rows, column);
  if (sample === '') return 'Empty in every row';
  return SECRET_TARGETS.has(target) ? 'Its values are not shown' : `First value: ${sample}`;
}

function ResultTable({ results }: { results: RowResult[] }) {
  // Rows that cannot be imported come first.
  const sorted = [...results].sort((a, b) => rankOf(a) - rankOf(b) || a.row - b.row);
  return (
    <PlainTable className={classes['table']} label="Rows" head={['Row', 'Connection', 'Result']}>
      {sorted.slice(0, SHOWN_ROWS).map(({ row, name, state, detail }) => (
        <tr key={row}>
          <td className="soft">{formatNumber(row)}</td>
          <td>
            <code>{name}</code>
          </td>
          <td className={rankOf({ state }) === 0 ? 'bad' : undefined}>
            {STATE_NAMES[state]}
            {detail !== '' && `: ${detail}`}
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}

const rankOf = ({ state }: Pick<RowResult, 'state'>): number => (state === 'refused' || state === 'failed' ? 0 : 1);

const nameOf = ({ provider_config_key: key, connection_id: id }: ConnectionBody): string =>
  connectionName(key, id ?? '');

/** Of two rows with the same id, the second would overwrite the first without a message. */
function markRepeated(results: RowResult[]): void {
  const seen = new Set<string>();
  for (const one of results) {
    if (one.body?.connection_id === undefined) continue;
    if (seen.has(one.name))
      Object.assign(one, { state: 'refused', detail: 'an earlier row has the same connection ID' });
    seen.add(one.name);
  }
}

const resultFile = (results: readonly RowResult[]): string =>
  [
    csvLine(['row', 'connection', 'result', 'detail']),
    ...results.map(({ row, name, state, detail }) => csvLine([row, name, state, detail])),
  ].join('');

/** The result of an import whose page was left, which shows it no more. */
function notifyLeft(sent: readonly RowResult[]): void {
  const imported = sent.filter(({ state }) => state === 'imported').length;
  const failed = sent.filter(({ state }) => state === 'failed').length;
  const result = `${formatNumber(imported)} of ${formatCount(sent.length, 'row')} imported`;
  if (imported === sent.length) return notifyDone(result);
  const open = sent.length - imported - failed;
  const others = [
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(open > 0 ? [`${formatNumber(open)} not sent, because the page was left`] : []),
  ];
  notifyError({ message: `${result}, ${others.join(', ')}.`, code: 'import_stopped' });
}
