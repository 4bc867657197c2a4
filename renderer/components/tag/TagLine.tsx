import { ActionIcon, Autocomplete, type AutocompleteProps, Tooltip, UnstyledButton } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { describeError } from '../../lib/api-error.ts';
import { suggestedTags, writtenTag } from '../../lib/tag-suggestions.ts';
import { focusIfLost } from '../focus-if-lost.ts';
import { useUnsaved } from '../form/unsaved-context.ts';
import { notifyError } from '../notice/notify.ts';
import { readTag } from './read-tag.ts';
import classes from './TagLine.module.css';

interface ShownTagChange {
  set?: Record<string, string>;
  remove?: string[];
}

interface TagLineProps {
  /** Whose tags these are, for screen readers. */
  of: string;
  tags: ReadonlyArray<readonly [name: string, value: string]>;
  /** False in a row without the keyboard focus: its buttons are no tab stops. */
  isActive?: boolean;
  /** In a row, the field stands in place of the tags. */
  isRow?: boolean;
  /** Where suggestions come from. */
  known: TagSource;
  onChange: (change: ShownTagChange) => Promise<unknown>;
}

/** Tags, each with a button that removes it, and a field that adds one: Enter adds, Esc closes it. */
export function TagLine({ of, tags, isActive = true, isRow = false, known, onChange }: TagLineProps) {
  const [isAdding, setAdding] = useState(false);
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  /** Names of tags that are being removed. */
  const [going, setGoing] = useState<readonly string[]>([]);
  const [isSaving, setSaving] = useState(false);
  const latestText = useRef(text);
  latestText.current = text;
  useUnsaved(`a new tag of ${of}`, text.trim() !== '');
  const add = useRef<HTMLButtonElement>(null);
  const wasAdding = useRef(false);
  useEffect(() => {
    if (wasAdding.current && !isAdding) add.current?.focus();
    wasAdding.current = isAdding;
  }, [isAdding]);
  const names = tags.map(([name]) => name).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a removed tag takes away the button that had the focus.
  useEffect(() => {
    setGoing((old) => old.filter((name) => tags.some(([one]) => one === name)));
    if (going.length > 0) focusIfLost(add.current);
  }, [names]);
  const close = (): void => {
    setAdding(false);
    setText('');
    setError(undefined);
  };
  const save = async (): Promise<void> => {
    const tag = readTag(text);
    if (text.trim() === '') return close();
    if (!tag) return setError('Write a name, a colon and a value, for example plan: pro.');
    setError(undefined);
    // In a row the field closes when the tag is stored; on a page the next tag can be typed at once.
    if (isRow) setSaving(true);
    else setText('');
    try {
      await onChange({ set: { [tag.name]: tag.value } });
      if (isRow) close();
    } catch (failure) {
      // What was typed comes back, to be corrected, unless the next tag is being typed.
      if (latestText.current.trim() !== '' && !isRow) return notifyError(failure);
      setAdding(true);
      setText(text);
      setError(describeError(failure).message);
    } finally {
      setSaving(false);
    }
  };
  const remove = async (name: string): Promise<void> => {
    setGoing((old) => [...old, name]);
    try {
      await onChange({ remove: [name] });
    } catch (failure) {
      setGoing((old) => old.filter((one) => one !== name));
      notifyError(failure);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter can also confirm a word of an input method.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter') {
      // It takes the marked suggestion into the field.
      const isTaking = document.querySelector('[role=option][data-combobox-selected]') !== null;
      if (isTaking) return event.stopPropagation();
      void save();
    } else return;
    event.preventDefault();
    // The list and the page have these keys too.
    event.stopPropagation();
  };
  const tabIndex = isActive ? 0 : -1;
  return (
    <span className={`row gap-4 wrap ${classes['line']}`} data-row={isRow || undefined}>
      {!(isRow && isAdding) &&
        tags.map(([name, value]) => (
          <span
            key={name}
            className={classes['tag']}
            data-going={going.includes(name) || undefined}
            title={`${name}: ${value}`}
          >
            <span className="cut" style={{ paddingLeft: 6 }}>{`${name}: ${value}`}</span>
            <UnstyledButton
              className={`rigid faint middle ${classes['remove']}`}
              tabIndex={tabIndex}
              disabled={going.includes(name)}
              aria-label={`Remove tag ${name}: ${value} from ${of}`}
              onClick={() => void remove(name)}
            >
              <IconX size={12} stroke={1.8} aria-hidden />
            </UnstyledButton>
          </span>
        ))}
      {isAdding ? (
        <Tooltip
          label={error}
          opened={error !== undefined}
          color="var(--hp-bad)"
          multiline
          maw={320}
          position="bottom-start"
        >
          <TagField
            tags={tags}
            known={known}
            className={classes['field'] ?? ''}
            size="xs"
            aria-label={`New tag of ${of}`}
            aria-invalid={error !== undefined}
            aria-description={error ?? 'Enter adds it, Esc closes the field'}
            placeholder="name: value"
            autoFocus
            spellCheck={false}
            autoComplete="off"
            readOnly={isSaving}
            value={text}
            error={error !== undefined}
            onChange={(next) => {
              setText(next);
              setError(undefined);
            }}
            onKeyDown={onKeyDown}
            onBlur={() => text.trim() === '' && close()}
          />
        </Tooltip>
      ) : (
        <ActionIcon
          ref={add}
          size={20}
          tabIndex={tabIndex}
          data-add-tag
          aria-label={`Add a tag to ${of}`}
          onClick={() => setAdding(true)}
        >
          <IconPlus size={14} stroke={1.6} aria-hidden />
        </ActionIcon>
      )}
    </span>
  );
}

/** Tags of the environment in the form `name: value`, and the search among them. */
interface TagSource {
  data: ReadonlyArray<{ value: string }> | undefined;
  search: (text: string) => void;
}

interface TagFieldProps extends Omit<AutocompleteProps, 'data' | 'onChange' | 'value'> {
  value: string;
  tags: ReadonlyArray<readonly [name: string, value: string]>;
  known: TagSource;
  onChange: (text: string) => void;
}

/** The field for a new tag; tags that the environment has are suggested as it is typed. */
function TagField({ value, tags, known, onChange, ...field }: TagFieldProps) {
  const { names, tags: whole } = suggestedTags(known.data?.map((one) => one.value) ?? [], value, tags);
  return (
    <Autocomplete
      {...field}
      value={value}
      data={[...names, ...whole]}
      // They fit already; the server found them.
      filter={({ options }) => options}
      comboboxProps={{ width: 240, position: 'bottom-start' }}
      maxDropdownHeight={200}
      onFocus={() => known.search(writtenTag(value))}
      onChange={(text) => {
        known.search(writtenTag(text));
        onChange(text);
      }}
    />
  );
}
