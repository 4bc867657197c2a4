import { Checkbox, Menu, TextInput, UnstyledButton } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import classes from './FilterChip.module.css';

interface FilterOption {
  value: string;
  label: string;
  icon?: ReactNode;
}

interface FilterChipProps {
  label: string;
  options: FilterOption[];
  selected: string[];
  onChange: (values: string[]) => void;
}

const MAX_VALUES = 20;

/** One filter: a dashed offer while unused, a filled chip with its values once used. */
export function FilterChip({ label, options, selected, onChange }: FilterChipProps) {
  const [search, setSearch] = useState('');
  const isActive = selected.length > 0;
  const names = selected.map((value) => options.find((option) => option.value === value)?.label ?? value);
  const shown = options.filter((option) => option.label.toLowerCase().includes(search.toLowerCase()));
  const toggle = (value: string): void =>
    onChange(
      selected.includes(value) ? selected.filter((one) => one !== value) : [...selected, value].slice(0, MAX_VALUES),
    );
  return (
    <span className={classes['chip']} data-active={isActive || undefined}>
      <Menu closeOnItemClick={false} position="bottom-start" width={220} onClose={() => setSearch('')}>
        <Menu.Target>
          <UnstyledButton className={classes['button'] ?? ''}>
            {!isActive && <IconPlus size={14} stroke={1.6} aria-hidden />}
            <span>{label}</span>
            {isActive && <b>{names.length > 2 ? names.length : names.join(', ')}</b>}
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {options.length > 8 && (
            <TextInput
              mb={4}
              aria-label={`Find in ${label}`}
              placeholder="Find"
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          )}
          <div className={classes['options']}>
            {shown.map((option) => (
              <Menu.Item
                key={option.value}
                onClick={() => toggle(option.value)}
                role="menuitemcheckbox"
                aria-checked={selected.includes(option.value)}
              >
                <span className={classes['option']}>
                  <Checkbox.Indicator size="xs" radius="xs" checked={selected.includes(option.value)} />
                  {option.icon}
                  <span>{option.label}</span>
                </span>
              </Menu.Item>
            ))}
            {shown.length === 0 && <div className={classes['none']}>Nothing to choose from</div>}
          </div>
        </Menu.Dropdown>
      </Menu>
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
