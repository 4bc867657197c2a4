import { Autocomplete, Button, FileButton, Group, Select, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import type { ImportFormat, ImportResult, RowProblem } from '../../api/contract.ts';
import { problemsByField } from '../../lib/api-error.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { FormActions } from '../form/FormActions.tsx';
import { notifyDone } from '../notice/notify.ts';
import { OpenModal } from '../notice/OpenModal.tsx';
import { ErrorPanel } from '../page/ErrorPanel.tsx';
import { PlainTable } from '../table/PlainTable.tsx';
import type { ImportButtonProps } from './ImportButton.tsx';
import classes from './ImportDialog.module.css';

const FORMATS: ReadonlyArray<{ value: ImportFormat; label: string; endings: readonly string[] }> = [
  { value: 'ndjson', label: 'JSON, one record per line', endings: ['ndjson', 'jsonl'] },
  { value: 'csv', label: 'CSV', endings: ['csv', 'tsv'] },
  { value: 'parquet', label: 'Parquet', endings: ['parquet'] },
  { value: 'json', label: 'JSON', endings: ['json'] },
];
const ACCEPTED = FORMATS.flatMap(({ endings }) => endings.map((ending) => `.${ending}`)).join();
const SHOWN_PROBLEMS = 20;

function formatOf(name: string): ImportFormat | undefined {
  const ending = name.split('.').at(-1)?.toLowerCase() ?? '';
  return FORMATS.find(({ endings }) => endings.includes(ending))?.value;
}

/** Chooses a file, shows what an import would do, and imports it. */
export function ImportDialog({ imports, into, onClose, onDone }: ImportButtonProps & { onClose: () => void }) {
  const [file, setFile] = useState<File>();
  const [format, setFormat] = useState<ImportFormat>();
  const [sendsWebhook, setSendsWebhook] = useState(false);
  const isAsking = 'models' in into;
  const [stream, setStream] = useState(isAsking ? { model: '', variant: 'base' } : into);
  const { run, trial } = imports;
  /** Not the state of `trial`, which is told later than the field that is left right after typing. */
  const [isChecked, setChecked] = useState(false);
  const problems = problemsByField(trial.error);
  const check = (chosen: File, as: ImportFormat): void => {
    run.reset();
    if (stream.model === '') return;
    setChecked(true);
    trial.mutate({ file: chosen, format: as, stream });
  };
  const take = (chosen: File | null): void => {
    if (!chosen) return;
    const known = formatOf(chosen.name);
    setFile(chosen);
    setFormat(known);
    trial.reset();
    if (known) check(chosen, known);
  };
  const result = trial.data;
  const changes = result ? result.added + result.updated + result.deleted : 0;
  const submit = (): void => {
    if (!file || !format) return;
    run.mutate(
      { file, format, stream, sendsWebhook },
      {
        onSuccess: ({ added, updated, deleted }) => {
          notifyDone(`${formatCount(added + updated + deleted, 'change')} imported into ${stream.model}`);
          onClose();
          onDone?.(stream.model);
        },
      },
    );
  };
  return (
    <OpenModal onClose={onClose} size={560} title={isAsking ? 'Import records' : `Import into ${stream.model}`} isSaved>
      <Stack gap="md">
        {isAsking && (
          <Autocomplete
            data-autofocus
            label="Model"
            description="Of a sync, or any other name, such as Contact."
            data={into.models}
            value={stream.model}
            error={problems['model']}
            onChange={(model) => {
              setStream({ ...stream, model: model.trim() });
              trial.reset();
              setChecked(false);
            }}
            onBlur={() => file && format && !isChecked && check(file, format)}
          />
        )}
        <Group gap="sm" wrap="nowrap">
          <FileButton onChange={take} accept={ACCEPTED}>
            {(button) => (
              <Button variant="default" disabled={stream.model === ''} {...button}>
                {file ? 'Another file' : 'Choose a file'}
              </Button>
            )}
          </FileButton>
          <span className={file ? 'name cut' : 'soft'}>
            {file?.name ?? 'CSV, Parquet or JSON. Nothing is stored before you have seen what changes.'}
          </span>
        </Group>
        {file && (
          <Select
            label="Format"
            placeholder="Choose what the file is"
            data={FORMATS.map(({ value, label }) => ({ value, label }))}
            value={format ?? null}
            allowDeselect={false}
            onChange={(next) => {
              setFormat(next as ImportFormat);
              check(file, next as ImportFormat);
            }}
          />
        )}
        {trial.isPending && (
          <p className="soft" role="status">
            Checking every row…
          </p>
        )}
        {(trial.error ?? run.error) && !problems['model'] && <ErrorPanel error={trial.error ?? run.error} />}
        {result && <Trial result={result} />}
        {result?.invalid === 0 && result.schema_of !== null && changes > 0 && (
          <Switch
            label={`Send the webhook of ${result.schema_of}`}
            description="As if a run of this sync had made the changes."
            checked={sendsWebhook}
            onChange={(event) => setSendsWebhook(event.currentTarget.checked)}
          />
        )}
        <FormActions
          action={changes > 0 && result?.invalid === 0 ? `Import ${formatCount(changes, 'change')}` : 'Import'}
          isPending={run.isPending}
          isDisabled={!result || result.invalid > 0 || changes === 0}
          onCancel={onClose}
          onAct={submit}
        />
      </Stack>
    </OpenModal>
  );
}

function Trial({ result }: { result: ImportResult }) {
  const { added, updated, deleted, unchanged, invalid, skipped, schema_of, columns } = result;
  const counts: Array<[label: string, count: number]> = [
    ['new', added],
    ['changed', updated],
    ['deleted', deleted],
    ['as before', unchanged],
    ['skipped', skipped],
    ['invalid', invalid],
  ];
  const shown = counts.filter(([label, count]) => count > 0 || label === 'new' || label === 'changed');
  return (
    <section aria-label="What the import would do" aria-live="polite">
      <dl className={classes['counts']}>
        {shown.map(([label, count]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className={`numbers ${label === 'invalid' ? 'bad' : ''}`}>{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
      <p className="soft">
        {schema_of === null ? (
          'No sync declares this model, so only the ids were checked.'
        ) : (
          <>
            Every row was checked against the model of <code>{schema_of}</code>.
          </>
        )}
      </p>
      {schema_of === null && columns.length > 0 && (
        <p className="soft">
          Read as: {columns.map(({ name, type }) => `${name} (${TYPE_WORDS[type] ?? 'text'})`).join(', ')}.
        </p>
      )}
      {invalid > 0 && <Problems problems={result.problems} count={invalid} />}
    </section>
  );
}

const TYPE_WORDS: Readonly<Record<string, string>> = { DOUBLE: 'number', BOOLEAN: 'yes or no', JSON: 'JSON' };

function Problems({ problems, count }: { problems: readonly RowProblem[]; count: number }) {
  const shown = problems.slice(0, SHOWN_PROBLEMS);
  return (
    <>
      <div className={classes['problems']}>
        <PlainTable label="Rows that cannot be imported" head={['Row', 'Column', 'Problem']}>
          {shown.map(({ row, line, column, message }) => (
            <tr key={`${row}.${line}.${column}`}>
              <td className="numbers">{line === null ? (row ?? '–') : `line ${line}`}</td>
              <td>{column === null ? '–' : <code>{column}</code>}</td>
              <td>{message}</td>
            </tr>
          ))}
        </PlainTable>
      </div>
      <p className="soft">
        {count > shown.length && `${formatNumber(count - shown.length)} more. `}
        Nothing can be imported before these rows are corrected.
      </p>
    </>
  );
}
