import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { type ClipboardEvent, useRef } from 'react';
import { flushSync } from 'react-dom';
import { describeError } from '../../api/api-error.ts';
import type { EnvironmentSettingsAnswer } from '../../api/contract.ts';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { notifyError } from '../../components/notify.ts';
import { SecretField } from '../../components/SecretField.tsx';
import { parsePairs } from '../../lib/key-values.ts';
import classes from './EnvironmentSettings.module.css';
import { SettingsForm } from './SettingsForm.tsx';
import { useSettingsSection } from './use-settings-section.ts';

interface Row {
  name: string;
  /** Absent: the stored one. */
  value?: string | undefined;
  isStored: boolean;
}

/** What functions read with `getEnvironmentVariables`; values are shown one by one, on request. */
export function VariableSettings({ settings }: { settings: EnvironmentSettingsAnswer }) {
  const rows: Row[] = settings.variables.map(({ name }) => ({ name, isStored: true }));
  const section = useSettingsSection('Variables', { rows }, (draft) => ({
    variables: draft.rows.map(({ name, value }) => ({ name, ...(value === undefined ? {} : { value }) })),
  }));
  const list = useRef<HTMLDivElement>(null);
  const { value, change, errors } = section;
  // The field has to be there before the next key comes: what is typed at once must not be lost.
  const changeAndFocus = (next: Row[], selector: string): void => {
    flushSync(() => change({ rows: next }));
    [...(list.current?.querySelectorAll<HTMLElement>(selector) ?? [])].at(-1)?.focus();
  };
  const put = (index: number, row: Row): void =>
    change({ rows: value.rows.map((old, at) => (at === index ? row : old)) });
  const paste = (event: ClipboardEvent, index: number): void => {
    const pairs = parsePairs(event.clipboardData.getData('text'));
    if (!pairs) return;
    event.preventDefault();
    const pasted = pairs.map((pair) => ({ name: pair.key, value: pair.value, isStored: false }));
    change({ rows: [...value.rows.slice(0, index), ...pasted, ...value.rows.slice(index + 1)] });
  };
  return (
    <SettingsForm
      id="function-env-vars"
      title="Function environment variables"
      lead="Functions read them with getEnvironmentVariables. They lie encrypted; paste lines NAME=value to add many."
      section={section}
    >
      <div ref={list} className={classes['variables']}>
        {value.rows.map((row, index) => (
          <VariableRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place, its name may change while it is typed
            key={index}
            row={row}
            place={index + 1}
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
          onClick={() => changeAndFocus([...value.rows, { name: '', value: '', isStored: false }], '[data-name]')}
        >
          Add variable
        </Button>
      </div>
    </SettingsForm>
  );
}

interface VariableRowProps {
  row: Row;
  place: number;
  nameError: string | undefined;
  valueError: string | undefined;
  onChange: (row: Row) => void;
  onPaste: (event: ClipboardEvent) => void;
  onRemove: () => void;
}

function VariableRow({ row, place, nameError, valueError, onChange, onPaste, onRemove }: VariableRowProps) {
  const reveal = useReveal();
  const input = { spellCheck: false, autoComplete: 'off', classNames: { input: 'mono' } };
  const isMasked = row.isStored && row.value === undefined;
  return (
    <div className={classes['variable']}>
      {row.isStored ? (
        <div className={classes['stored']}>
          <code className="cut">{row.name}</code>
          {nameError && <p className={classes['rowError']}>{nameError}</p>}
        </div>
      ) : (
        <TextInput
          {...input}
          data-name
          aria-label={`Variable ${place}, name`}
          placeholder="NAME"
          value={row.name}
          error={nameError}
          onPaste={onPaste}
          onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
        />
      )}
      {isMasked ? (
        <div className={classes['stored']}>
          <SecretField
            label={row.name}
            reveal={() => reveal.mutateAsync({ kind: 'variable', name: row.name })}
            onError={(error) => notifyError(describeError(error))}
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
        </div>
      ) : (
        <TextInput
          {...input}
          aria-label={row.isStored ? `New value of ${row.name}` : `Variable ${place}, value`}
          placeholder={row.isStored ? 'New value' : 'Value'}
          autoFocus={row.isStored}
          value={row.value ?? ''}
          error={valueError}
          onChange={(event) => onChange({ ...row, value: event.currentTarget.value })}
        />
      )}
      <Tooltip label="Remove">
        <ActionIcon size={32} aria-label={`Remove variable ${row.name || place}`} onClick={onRemove}>
          <IconTrash size={14} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
