import { CloseButton, Kbd, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useRef } from 'react';
import { KEY_MAP } from '../../lib/key-map.ts';
import { goToFirstRow, leaveField } from '../form/leave-field.ts';
import { useCommands } from '../use-commands.ts';
import classes from './SearchBox.module.css';
import { useTypedText } from './use-typed-text.ts';

/** `/` focuses it; Enter and ArrowDown go to the first row of the list, Esc clears it and then leaves it for the list. */
export function SearchBox({
  value,
  onChange,
  label,
  onType,
}: {
  value: string;
  onChange: (value: string) => void;
  label: string;
  /** Called at each letter, for pages that search locally; `onChange` is debounced. */
  onType?: (text: string) => void;
}) {
  const { text, setText } = useTypedText(value, onChange);
  const input = useRef<HTMLInputElement>(null);
  useCommands([{ ...KEY_MAP.search, run: () => input.current?.focus() }]);
  const report = useEffectEvent((typed: string) => onType?.(typed));
  useEffect(() => report(text), [text]);
  return (
    <TextInput
      className={classes['box'] ?? ''}
      ref={input}
      aria-label={label}
      placeholder={label}
      value={text}
      spellCheck={false}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        // Enter can also confirm a word of an input method.
        if (event.nativeEvent.isComposing) return;
        if ((event.key === 'Enter' || event.key === 'ArrowDown') && goToFirstRow(event.currentTarget))
          event.preventDefault();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        if (text === '') leaveField(event.currentTarget);
        setText('');
      }}
      leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
      rightSection={
        text === '' ? (
          <Kbd aria-hidden>/</Kbd>
        ) : (
          <CloseButton size={20} aria-label="Clear search" onClick={() => setText('')} />
        )
      }
    />
  );
}
