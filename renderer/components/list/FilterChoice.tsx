import { Checkbox, Combobox, UnstyledButton, useCombobox } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { bestFirst } from '../../lib/best-first.ts';
import { formatNumber } from '../../lib/format-number.ts';
import classes from './FilterChip.module.css';
import type { FilterChipProps, FilterOption } from './FilterChip.tsx';

const MAX_VALUES = 20;
const SEARCH_AFTER_MS = 150;

interface FilterChoiceProps extends FilterChipProps {
  /** Text of the button. */
  children: ReactNode;
}

/** The values of a filter below its button; open from the start. */
export function FilterChoice({ label, options, selected, onChange, onSearch, children }: FilterChoiceProps) {
  const [text, setText] = useState('');
  const ask = useDebouncedCallback((wanted: string) => onSearch?.(wanted), SEARCH_AFTER_MS);
  const store = useCombobox({
    onDropdownOpen: () => {
      onSearch?.('');
      store.focusSearchInput();
    },
    onDropdownClose: () => {
      setText('');
      store.resetSelectedOption();
      store.focusTarget();
    },
  });
  const first = useRef(store);
  useEffect(() => first.current.openDropdown(), []);
  const needle = text.trim().toLowerCase();
  const fitting = bestFirst(options, needle);
  // Chosen values stay in the list, so that they can be removed even if the server does not return them.
  const others = needle === '' ? selected.filter((value) => !options.some((one) => one.value === value)) : [];
  const shown = [...others.map((value): FilterOption => ({ value, label: value })), ...fitting];
  const toggle = (value: string): void =>
    onChange(
      selected.includes(value) ? selected.filter((one) => one !== value) : [...selected, value].slice(0, MAX_VALUES),
    );
  return (
    <Combobox store={store} position="bottom-start" width={260} onOptionSubmit={toggle}>
      <Combobox.Target targetType="button" withKeyboardNavigation={false}>
        <UnstyledButton className={`middle one-line ${classes['button']}`} onClick={() => store.toggleDropdown()}>
          {children}
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          aria-label={`Find in ${label}`}
          placeholder={`Find ${label.toLowerCase()}`}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            ask(event.currentTarget.value);
            store.selectFirstOption();
          }}
        />
        <Combobox.Options style={{ maxHeight: 288, overflowY: 'auto' }} aria-label={label} aria-multiselectable>
          {shown.map((option) => (
            <Combobox.Option
              key={option.value}
              value={option.value}
              active={selected.includes(option.value)}
              aria-selected={selected.includes(option.value)}
            >
              <span className="row grow">
                <Checkbox.Indicator size="xs" radius="xs" checked={selected.includes(option.value)} />
                {option.icon}
                <span className="cut">{option.label}</span>
                {option.count !== undefined && (
                  <span className="at-end faint small numbers">{formatNumber(option.count)}</span>
                )}
              </span>
            </Combobox.Option>
          ))}
          {shown.length === 0 && <Combobox.Empty>Nothing matches</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
