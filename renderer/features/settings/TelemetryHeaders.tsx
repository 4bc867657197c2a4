import { ActionIcon, Button, Group, TextInput, Tooltip } from '@mantine/core';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { SecretField } from '../../components/form/SecretField.tsx';
import classes from './EnvironmentSettings.module.css';

export interface HeaderDraft {
  name: string;
  /** Absent: the stored value. */
  value?: string;
  isStored: boolean;
}

interface TelemetryHeadersProps {
  headers: HeaderDraft[];
  /** Errors by their path in the request. */
  errors: Readonly<Record<string, string>>;
  onChange: (headers: HeaderDraft[]) => void;
}

/** Headers for the collector; their values are secrets and shown one by one. */
export function TelemetryHeaders({ headers, errors, onChange }: TelemetryHeadersProps) {
  const list = useRef<HTMLFieldSetElement>(null);
  // The field must exist before the next key press, so that no typed text is lost.
  const changeAndFocus = (next: HeaderDraft[], selector: string): void => {
    flushSync(() => onChange(next));
    [...(list.current?.querySelectorAll<HTMLElement>(selector) ?? [])].at(-1)?.focus();
  };
  const remove = (index: number): void =>
    changeAndFocus(
      headers.filter((_, at) => at !== index),
      '[data-add]',
    );
  return (
    <fieldset ref={list} className="stack gap-8 at-top">
      <legend className="name">Headers</legend>
      <p className="faint note">
        Sent with every request, for example the key of the collector. Their values are stored encrypted.
      </p>
      {headers.map((header, index) => (
        <HeaderRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position; its name may change while it is typed
          key={index}
          header={header}
          position={index + 1}
          nameError={errors[`otlp_headers.${index}.name`]}
          valueError={errors[`otlp_headers.${index}.value`]}
          onChange={(next) => onChange(headers.map((old, at) => (at === index ? next : old)))}
          onRemove={() => remove(index)}
        />
      ))}
      {errors['otlp_headers'] && <p className="note bad own-line">{errors['otlp_headers']}</p>}
      <Button
        size="xs"
        variant="default"
        data-add
        leftSection={<IconPlus size={14} stroke={1.6} />}
        onClick={() => changeAndFocus([...headers, { name: '', value: '', isStored: false }], '[data-name]')}
      >
        Add header
      </Button>
    </fieldset>
  );
}

interface HeaderRowProps {
  header: HeaderDraft;
  position: number;
  nameError: string | undefined;
  valueError: string | undefined;
  onChange: (header: HeaderDraft) => void;
  onRemove: () => void;
}

function HeaderRow({ header, position, nameError, valueError, onChange, onRemove }: HeaderRowProps) {
  const { isStored, name, value } = header;
  const reveal = useReveal();
  const input = { spellCheck: false, autoComplete: 'off', classNames: { input: 'mono' } };
  return (
    <div className={`grid gap-8 full ${classes['header']}`}>
      {isStored ? (
        <Group className="breaks" gap="0 4px" miw={0} mih={32}>
          <code className="cut">{name}</code>
          {nameError && <p className="note bad own-line">{nameError}</p>}
        </Group>
      ) : (
        <TextInput
          {...input}
          data-name
          aria-label={`Header ${position}, name`}
          placeholder="x-api-key"
          value={name}
          error={nameError}
          onChange={(event) => onChange({ ...header, name: event.currentTarget.value })}
        />
      )}
      {value === undefined ? (
        <Group className="breaks" gap="0 4px" miw={0} mih={32}>
          <SecretField key={name} label={name} reveal={() => reveal.mutateAsync({ kind: 'otlp_header', name })} />
          <Tooltip label="Replace value">
            <ActionIcon
              size={24}
              aria-label={`Replace value of ${name}`}
              onClick={() => onChange({ ...header, value: '' })}
            >
              <IconPencil size={14} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
          {valueError && <p className="note bad own-line">{valueError}</p>}
        </Group>
      ) : (
        <TextInput
          {...input}
          aria-label={isStored ? `New value of ${name}` : `Header ${position}, value`}
          placeholder={isStored ? 'New value' : 'Value'}
          autoFocus={isStored}
          value={value}
          error={valueError}
          onChange={(event) => onChange({ ...header, value: event.currentTarget.value })}
        />
      )}
      <Tooltip label="Remove">
        <ActionIcon size={32} aria-label={`Remove header ${name || position}`} onClick={onRemove}>
          <IconTrash size={14} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
