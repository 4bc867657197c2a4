import { Checkbox, Combobox, UnstyledButton, useCombobox } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { formatNumber } from '../../lib/format-number.ts';
import classes from './FilterChip.module.css';

export interface FilterOption {
  value: string;
  label: string;
  icon?: ReactNode;
  /** Number of rows with this value. */
  count?: number;
}

interface FilterChipProps {
  label: string;
  options: FilterOption[];
  selected: string[];
  onChange: (values: string[]) => void;
  /** Searches on the server; the options are then its results. */
  onSearch?: (text: string) => void;
}

const MAX_VALUES = 20;
const SEARCH_AFTER_MS = 150;

/** One filter: a dashed outline while unused, a filled chip with its values when used. */
export function FilterChip({ label, options, selected, onChange, onSearch }: FilterChipProps) {
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
  const isActive = selected.length > 0;
  const names = selected.map((value) => options.find((option) => option.value === value)?.label ?? value);
  const needle = text.trim().toLowerCase();
  const fitting = options.filter((one) => `${one.label} ${one.value}`.toLowerCase().includes(needle));
  // Selected values can always be deselected, even when the server no longer lists them.
  const others = needle === '' ? selected.filter((value) => !options.some((one) => one.value === value)) : [];
  const shown = [...others.map((value): FilterOption => ({ value, label: value })), ...fitting];
  const toggle = (value: string): void =>
    onChange(
      selected.includes(value) ? selected.filter((one) => one !== value) : [...selected, value].slice(0, MAX_VALUES),
    );
  return (
    <span className={classes['chip']} data-active={isActive || undefined}>
      <Combobox store={store} position="bottom-start" width={260} onOptionSubmit={toggle}>
        <Combobox.Target targetType="button" withKeyboardNavigation={false}>
          <UnstyledButton className={classes['button'] ?? ''} onClick={() => store.toggleDropdown()}>
            {!isActive && <IconPlus size={14} stroke={1.6} aria-hidden />}
            <span>{label}</span>
            {isActive && <b>{names.length > 2 ? names.length : names.join(', ')}</b>}
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
          <Combobox.Options className={classes['options'] ?? ''} aria-label={label} aria-multiselectable>
            {shown.map((option) => (
              <Combobox.Option
                key={option.value}
                value={option.value}
                active={selected.includes(option.value)}
                aria-selected={selected.includes(option.value)}
              >
                <span className={classes['option']}>
                  <Checkbox.Indicator size="xs" radius="xs" checked={selected.includes(option.value)} />
                  {option.icon}
                  <span className="cut">{option.label}</span>
                  {option.count !== undefined && (
                    <span className={classes['number']}>{formatNumber(option.count)}</span>
                  )}
                </span>
              </Combobox.Option>
            ))}
            {shown.length === 0 && <Combobox.Empty>Nothing matches</Combobox.Empty>}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      {isActive && (
        <UnstyledButton
          className={classes['remove'] ?? ''}
          aria-label={`Remove filter ${label}`}
          onClick={() => onChange([])}
        >
          <IconX size={14} stroke={1.6} aria-hidden />
        </UnstyledButton>
      )}
    </span>
  );
}
