import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ClipboardEvent, useEffect, useRef } from 'react';
import { type KeyValue, parsePairs } from '../../lib/key-values.ts';

interface KeyValueEditorProps {
  label: string;
  description: string;
  /** The noun for one pair, used in the field names: "Tag". */
  noun: string;
  pairs: KeyValue[];
  onChange: (pairs: KeyValue[]) => void;
  error?: string | undefined;
}

/** Name and value fields; pasted lines `NAME=value` or a JSON object become rows. */
export function KeyValueEditor({ label, description, noun, pairs, onChange, error }: KeyValueEditorProps) {
  const fields = useRef<HTMLFieldSetElement>(null);
  const change = (index: number, patch: Partial<KeyValue>): void =>
    onChange(pairs.map((pair, at) => (at === index ? { ...pair, ...patch } : pair)));
  const focusButton = (): void => fields.current?.querySelector<HTMLElement>('[data-add]')?.focus();
  const remove = (index: number): void => {
    onChange(pairs.filter((_, at) => at !== index));
    focusButton();
  };
  // What was added is what one wants to write into.
  const wasAdded = useRef(false);
  useEffect(() => {
    if (wasAdded.current)
      fields.current?.querySelector<HTMLElement>(`[data-pair="${pairs.length - 1}"] input`)?.focus();
    wasAdded.current = false;
  }, [pairs.length]);
  const paste = (event: ClipboardEvent<HTMLInputElement>, index: number): void => {
    const found = parsePairs(event.clipboardData.getData('text'));
    if (!found) return;
    event.preventDefault();
    onChange([...pairs.slice(0, index), ...found, ...pairs.slice(index + 1)]);
  };
  return (
    <fieldset ref={fields}>
      <legend className="name">{label}</legend>
      <p className="faint note" style={{ marginBottom: 4 }}>
        {description}
      </p>
      {pairs.map((pair, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its position, its name may change while it is typed
          key={index}
          className="grid gap-8"
          style={{ gridTemplateColumns: 'minmax(0, 2fr) minmax(0, 3fr) 32px', alignItems: 'start', marginBottom: 8 }}
          data-pair={index}
        >
          <TextInput
            aria-label={`${noun} ${index + 1}, name`}
            placeholder="Name"
            value={pair.key}
            spellCheck={false}
            onPaste={(event) => paste(event, index)}
            onChange={(event) => change(index, { key: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`${noun} ${index + 1}, value`}
            placeholder="Value"
            value={pair.value}
            spellCheck={false}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
          />
          <ActionIcon size={32} aria-label={`Remove ${noun.toLowerCase()} ${index + 1}`} onClick={() => remove(index)}>
            <IconX size={14} stroke={1.6} />
          </ActionIcon>
        </div>
      ))}
      {error && (
        <p className="bad note" style={{ marginBottom: 4 }} role="alert">
          {error}
        </p>
      )}
      <Button
        size="xs"
        variant="default"
        data-add
        leftSection={<IconPlus size={14} stroke={1.6} />}
        onClick={() => {
          wasAdded.current = true;
          onChange([...pairs, { key: '', value: '' }]);
        }}
      >
        {`Add ${noun.toLowerCase()}`}
      </Button>
    </fieldset>
  );
}
