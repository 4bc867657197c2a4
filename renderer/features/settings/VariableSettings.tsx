import { ActionIcon, Button, FileButton, Group, TextInput, Tooltip } from '@mantine/core';
import { IconEye, IconLock, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'react-router';
import type { EnvironmentSettingsResponse, UpdateSettings, VariableUse } from '../../api/contract.ts';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { variableUseQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { SecretField } from '../../components/form/SecretField.tsx';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { Banner } from '../../components/page/Banner.tsx';
import { formatPairs, type KeyValue, parsePairs } from '../../lib/key-values.ts';
import { paths } from '../../lib/paths.ts';
import { saveFile } from '../../lib/save-file.ts';
import classes from './EnvironmentSettings.module.css';
import { SettingsForm } from './SettingsForm.tsx';
import { useSettingsSection } from './use-settings-section.ts';

interface Row {
  name: string;
  /** Absent: the stored value. */
  value?: string | undefined;
  isStored: boolean;
  /** Its value is shown without a request. */
  isPlain: boolean;
}

/** The variables that functions read with `getEnvironmentVariables`; secret values are shown one by one, on request. */
export function VariableSettings({ settings }: { settings: EnvironmentSettingsResponse }) {
  const env = useEnv();
  const { data: use } = useQuery(variableUseQueryOptions(env));
  const rows: Row[] = settings.variables.map(({ name, is_plain, value }) => ({
    name,
    isStored: true,
    isPlain: is_plain,
    ...(is_plain ? { value: value ?? '' } : {}),
  }));
  const section = useSettingsSection('Variables', { rows }, (draft, base) => ({
    // What was not changed here keeps the stored value, which may be a newer one.
    variables: draft.rows.map((row) => (base.rows.includes(row) ? { name: row.name } : toVariable(row))),
    known: { variables: base.rows.map(({ name }) => name) },
  }));
  const list = useRef<HTMLDivElement>(null);
  const { value, change, errors } = section;
  // The field must exist before the next key press, so that no typed text is lost.
  const changeAndFocus = (next: Row[], selector: string): void => {
    flushSync(() => change({ rows: next }));
    [...(list.current?.querySelectorAll<HTMLElement>(selector) ?? [])].at(-1)?.focus();
  };
  const add = (name: string, selector: string): void =>
    changeAndFocus([...value.rows, { name, value: '', isStored: false, isPlain: false }], selector);
  const put = (index: number, row: Row): void =>
    change({ rows: value.rows.map((old, at) => (at === index ? row : old)) });
  const paste = (event: ClipboardEvent, index: number): void => {
    const pairs = parsePairs(event.clipboardData.getData('text'));
    if (!pairs) return;
    event.preventDefault();
    const others = [...value.rows.slice(0, index), ...value.rows.slice(index + 1)];
    change({ rows: merge(others, pairs) });
  };
  const importFile = async (file: File | null): Promise<void> => {
    const pairs = file && parsePairs(await file.text());
    if (pairs) change({ rows: merge(value.rows, pairs) });
    else if (file) notifyError({ message: `${file.name} contains no NAME=value lines.`, code: 'not_an_env_file' });
  };
  const missing = (use?.missing ?? []).filter(({ name }) => !value.rows.some((row) => row.name === name));
  return (
    <SettingsForm
      id="function-env-vars"
      title="Function environment variables"
      lead="Functions read them with getEnvironmentVariables. All are stored encrypted; plain values are shown here. Paste NAME=value lines to add many."
      section={section}
      aside={<EnvFile settings={settings} isUnsaved={section.isDirty} onImport={(file) => void importFile(file)} />}
    >
      {missing.length > 0 && <Missing missing={missing} onAdd={(name) => add(name, '[data-value]')} />}
      <div ref={list} className="stack gap-8 at-top">
        {value.rows.map((row, index) => (
          <VariableRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position; its name may change while it is typed
            key={index}
            row={row}
            position={index + 1}
            readers={use?.used.find(({ name }) => name === row.name)?.functions}
            nameError={errors[`variables.${index}.name`]}
            valueError={errors[`variables.${index}.value`]}
            onChange={(next) => put(index, next)}
            onPaste={(event) => paste(event, index)}
            onRemove={() =>
              changeAndFocus(
                value.rows.filter((_, at) => at !== index),
                '[data-add]',
              )
            }
          />
        ))}
        {value.rows.length === 0 && <p className="faint">None yet.</p>}
        <Button
          size="xs"
          variant="default"
          data-add
          leftSection={<IconPlus size={14} stroke={1.6} />}
          onClick={() => add('', '[data-name]')}
        >
          Add variable
        </Button>
      </div>
    </SettingsForm>
  );
}

/** Merges pairs into rows: a known name gets the new value, others are added. */
function merge(rows: readonly Row[], pairs: readonly KeyValue[]): Row[] {
  const next = [...rows];
  for (const { key: name, value } of pairs) {
    const at = next.findIndex((row) => row.name === name);
    const old = next[at];
    if (old) next[at] = { ...old, value };
    else next.push({ name, value, isStored: false, isPlain: false });
  }
  return next;
}

/** Imports a `.env` file, and exports one with every value in plain text. */
function EnvFile(props: {
  settings: EnvironmentSettingsResponse;
  isUnsaved: boolean;
  onImport: (file: File | null) => void;
}) {
  const { settings, isUnsaved, onImport } = props;
  const env = useEnv();
  const reveal = useReveal();
  const confirm = useConfirm();
  const ask = (): void =>
    confirm.ask({
      title: 'Export all variables?',
      text: 'The file contains their values in plain text. The audit lists each secret as revealed.',
      action: 'Export .env',
      isHarmless: true,
      run: async () => {
        const pairs: KeyValue[] = [];
        for (const { name, value } of settings.variables)
          pairs.push({ key: name, value: value ?? (await reveal.mutateAsync({ kind: 'variable', name })) });
        saveFile(`${env}.env`, new Blob([formatPairs(pairs)], { type: 'text/plain' }));
        notifyDone(`${pairs.length} ${pairs.length === 1 ? 'variable' : 'variables'} exported`);
      },
    });
  return (
    <span className="row">
      <FileButton onChange={onImport} accept=".env,.txt,.json,text/plain">
        {(button) => (
          <Button size="xs" variant="default" {...button}>
            Import .env
          </Button>
        )}
      </FileButton>
      <Tooltip label="Save first" disabled={!isUnsaved}>
        <Button size="xs" variant="default" disabled={isUnsaved || settings.variables.length === 0} onClick={ask}>
          Export .env
        </Button>
      </Tooltip>
      {confirm.dialog}
    </span>
  );
}

function Missing({ missing, onAdd }: { missing: VariableUse['missing']; onAdd: (name: string) => void }) {
  return (
    <ul className={`stack gap-8 ${classes['missing']}`} aria-label="Variables that functions miss">
      {missing.map(({ name, functions }) => (
        <li key={name}>
          <Banner
            tone="warn"
            actions={
              <Button size="xs" variant="default" onClick={() => onAdd(name)}>
                Add {name}
              </Button>
            }
          >
            <code>{name}</code> is not defined. <Readers readers={functions} />
          </Banner>
        </li>
      ))}
    </ul>
  );
}

const MAX_READERS = 3;

function Readers({ readers }: { readers: VariableUse['used'][number]['functions'] }) {
  const env = useEnv();
  const more = readers.length - MAX_READERS;
  return (
    <>
      {'Read by '}
      {readers.slice(0, MAX_READERS).map((reader, index) => (
        <span key={`${reader.integrationKey}/${reader.type}/${reader.name}`}>
          {index > 0 && ', '}
          <Link to={paths.function(env, reader)}>{`${reader.integrationKey}/${reader.name}`}</Link>
        </span>
      ))}
      {more > 0 && ` and ${more} more`}.
    </>
  );
}

interface VariableRowProps {
  row: Row;
  position: number;
  /** Functions whose code names it. */
  readers: VariableUse['used'][number]['functions'] | undefined;
  nameError: string | undefined;
  valueError: string | undefined;
  onChange: (row: Row) => void;
  onPaste: (event: ClipboardEvent) => void;
  onRemove: () => void;
}

function VariableRow(props: VariableRowProps) {
  const { row, position, readers, nameError, valueError, onChange, onPaste, onRemove } = props;
  const reveal = useReveal();
  const input = { spellCheck: false, autoComplete: 'off', classNames: { input: 'mono' } };
  const isMasked = row.isStored && row.value === undefined;
  return (
    <div className={`grid gap-8 full ${classes['variable']}`}>
      {row.isStored ? (
        <Group className="breaks" gap="0 4px" miw={0} mih={32}>
          <code className="cut">{row.name}</code>
          {nameError && <p className="note bad own-line">{nameError}</p>}
          {readers && (
            <p className="own-line note faint">
              <Readers readers={readers} />
            </p>
          )}
        </Group>
      ) : (
        <TextInput
          {...input}
          data-name
          aria-label={`Variable ${position}, name`}
          placeholder="NAME"
          value={row.name}
          error={nameError}
          onPaste={onPaste}
          onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
        />
      )}
      {isMasked ? (
        <Group className="breaks" gap="0 4px" miw={0} mih={32}>
          <SecretField
            // A shown value belongs to its name, not to the place in the list.
            key={row.name}
            label={row.name}
            reveal={() => reveal.mutateAsync({ kind: 'variable', name: row.name })}
          />
          <Tooltip label="Replace value">
            <ActionIcon
              size={24}
              aria-label={`Replace value of ${row.name}`}
              onClick={() => onChange({ ...row, value: '' })}
            >
              <IconPencil size={14} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </Group>
      ) : (
        <TextInput
          {...input}
          data-value
          aria-label={row.isStored ? `New value of ${row.name}` : `Variable ${position}, value`}
          placeholder={row.isStored && !row.isPlain ? 'New value' : 'Value'}
          autoFocus={row.isStored && !row.isPlain}
          value={row.value ?? ''}
          error={valueError}
          onChange={(event) => onChange({ ...row, value: event.currentTarget.value })}
        />
      )}
      <Tooltip label={row.isPlain ? 'Plain: shown here. Make it secret' : 'Secret: hidden here. Make it plain'}>
        <ActionIcon
          size={32}
          aria-label={`${row.name || `Variable ${position}`} is plain`}
          aria-pressed={row.isPlain}
          onClick={() => onChange({ ...row, isPlain: !row.isPlain })}
        >
          {row.isPlain ? <IconEye size={14} stroke={1.6} /> : <IconLock size={14} stroke={1.6} />}
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Remove">
        <ActionIcon size={32} aria-label={`Remove variable ${row.name || position}`} onClick={onRemove}>
          <IconTrash size={14} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

const toVariable = ({ name, value, isPlain }: Row): NonNullable<UpdateSettings['variables']>[number] => ({
  name,
  is_plain: isPlain,
  ...(value === undefined ? {} : { value }),
});
