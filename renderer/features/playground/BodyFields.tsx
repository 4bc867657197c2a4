import { ActionIcon, Button, FileButton, SegmentedControl, Textarea, TextInput, Tooltip } from '@mantine/core';
import { IconPaperclip, IconPlus, IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { fillReferences } from '../../api/contract.ts';
import { KeyValueEditor } from '../../components/form/KeyValueEditor.tsx';
import { notifyError } from '../../components/notice/notify.ts';
import { formatBytes } from '../../lib/format-number.ts';
import classes from './Playground.module.css';
import { type BodyField, type BodyType, type Draft, MAX_FILE_BYTES, readJsonText } from './playground-draft.ts';

const TYPES: Array<{ value: BodyType; label: string }> = [
  { value: 'none', label: 'None' },
  { value: 'json', label: 'JSON' },
  { value: 'form', label: 'Form' },
  { value: 'multipart', label: 'Multipart' },
  { value: 'text', label: 'Text' },
];

interface BodyFieldsProps {
  draft: Draft;
  onChange: (patch: Partial<Draft>) => void;
}

/** The body of a request; what was typed for another kind stays. */
export function BodyFields({ draft, onChange }: BodyFieldsProps) {
  const { body, bodyType, fields } = draft;
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label="Kind of body"
        data={TYPES}
        value={bodyType}
        onChange={(next) => onChange({ bodyType: next as BodyType })}
      />
      {bodyType === 'none' && <p className="soft note pt-12 pb-12">The request has no body.</p>}
      {(bodyType === 'json' || bodyType === 'text') && (
        <Textarea
          label="Body"
          description={
            bodyType === 'json'
              ? 'Sent as application/json, unless a Content-Type header says something else.'
              : 'Sent as text/plain, unless a Content-Type header says something else.'
          }
          value={body}
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          onChange={(event) => onChange({ body: event.currentTarget.value })}
        />
      )}
      {bodyType === 'json' && <JsonNote body={body} />}
      {bodyType === 'form' && (
        <KeyValueEditor
          label="Fields"
          description="Sent as application/x-www-form-urlencoded, in this order."
          noun="Field"
          pairs={fields}
          error={fields.some(({ file }) => file) ? 'A form of this kind sends no files. Choose Multipart.' : undefined}
          onChange={(next) => onChange({ fields: next })}
        />
      )}
      {bodyType === 'multipart' && <Parts fields={fields} onChange={(next) => onChange({ fields: next })} />}
    </>
  );
}

/** A text that is not JSON is sent all the same: a provider's answer to it may be what one wants to see. */
function JsonNote({ body }: { body: string }) {
  // A number in place of each variable: it may stand inside of a string and for a whole value.
  const read = readJsonText(fillReferences(body, () => '0'));
  return 'problem' in read ? (
    <p className="soft note pt-12 pb-12">Not JSON ({read.problem}). It is sent as it is.</p>
  ) : null;
}

interface PartsProps {
  fields: BodyField[];
  onChange: (fields: BodyField[]) => void;
}

/** The parts of a multipart body: a text or a file each. */
function Parts({ fields, onChange }: PartsProps) {
  const box = useRef<HTMLFieldSetElement>(null);
  const wasAdded = useRef(false);
  useEffect(() => {
    if (wasAdded.current) box.current?.querySelector<HTMLElement>(`[data-part="${fields.length - 1}"] input`)?.focus();
    wasAdded.current = false;
  }, [fields.length]);
  const change = (index: number, patch: Partial<BodyField>): void =>
    onChange(fields.map((field, at) => (at === index ? { ...field, ...patch } : field)));
  const choose = async (index: number, chosen: File | null): Promise<void> => {
    if (!chosen) return;
    if (chosen.size > MAX_FILE_BYTES)
      return notifyError({
        message: `${chosen.name} has ${formatBytes(chosen.size)}; the playground sends files up to ${formatBytes(MAX_FILE_BYTES)}. Copy the call as curl for a larger one.`,
        code: 'file_too_large',
      });
    const { name, type, size: sizeBytes } = chosen;
    change(index, {
      value: '',
      file: { name, type: type || 'application/octet-stream', sizeBytes, base64: await base64Of(chosen) },
    });
  };
  return (
    <fieldset ref={box} className="stack gap-8 at-top">
      <legend className="name">Parts</legend>
      <p className="soft note pt-12 pb-12">
        Sent as multipart/form-data, in this order. A file is not kept with a saved request.
      </p>
      {fields.map((field, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its position, its name may change while it is typed
          key={index}
          className="grid gap-8 full"
          style={{ gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1.4fr) 32px 32px', alignItems: 'center' }}
          data-part={index}
        >
          <TextInput
            aria-label={`Part ${index + 1}, name`}
            placeholder="Name"
            spellCheck={false}
            value={field.key}
            onChange={(event) => change(index, { key: event.currentTarget.value })}
          />
          {field.file ? (
            <div className={`row ${classes['file']}`} data-lost={field.file.base64 === null || undefined}>
              <IconPaperclip size={14} stroke={1.6} aria-hidden />
              <span className="cut">{field.file.name}</span>
              <span className="faint">
                {field.file.base64 === null ? 'Choose it again' : formatBytes(field.file.sizeBytes)}
              </span>
              <ActionIcon
                size={24}
                aria-label={`Remove the file of part ${index + 1}`}
                onClick={() => change(index, { file: undefined })}
              >
                <IconX size={12} stroke={1.6} />
              </ActionIcon>
            </div>
          ) : (
            <TextInput
              aria-label={`Part ${index + 1}, value`}
              placeholder="Value"
              spellCheck={false}
              value={field.value}
              onChange={(event) => change(index, { value: event.currentTarget.value })}
            />
          )}
          <FileButton onChange={(chosen) => void choose(index, chosen)}>
            {(props) => (
              <Tooltip label="Choose a file">
                <ActionIcon {...props} size={32} aria-label={`Choose a file for part ${index + 1}`}>
                  <IconPaperclip size={16} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            )}
          </FileButton>
          <ActionIcon
            size={32}
            aria-label={`Remove part ${index + 1}`}
            onClick={() => {
              onChange(fields.filter((_, at) => at !== index));
              box.current?.querySelector<HTMLElement>('[data-add]')?.focus();
            }}
          >
            <IconX size={14} stroke={1.6} />
          </ActionIcon>
        </div>
      ))}
      <Button
        size="xs"
        variant="default"
        data-add
        leftSection={<IconPlus size={14} stroke={1.6} aria-hidden />}
        onClick={() => {
          wasAdded.current = true;
          onChange([...fields, { key: '', value: '' }]);
        }}
      >
        Add part
      </Button>
    </fieldset>
  );
}

/** Read as an address with the content in it, which the browser encodes. */
function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.readAsDataURL(file);
  });
}
