import { UnstyledButton } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import classes from './FilterChip.module.css';

export interface FilterOption {
  value: string;
  label: string;
  icon?: ReactNode;
  /** Number of rows with this value. */
  count?: number;
}

export interface FilterChipProps {
  label: string;
  options: FilterOption[];
  selected: string[];
  onChange: (values: string[]) => void;
  /** Searches on the server; the options are then its results. */
  onSearch?: (text: string) => void;
}

const loadChoice = () => import('./FilterChoice.tsx');

/** One filter: a dashed offer while unused, a filled chip with its values once used. Its choices are loaded with the first press. */
export function FilterChip(props: FilterChipProps) {
  const { label, options, selected, onChange } = props;
  const [choice, setChoice] = useState<Awaited<ReturnType<typeof loadChoice>>>();
  const isActive = selected.length > 0;
  const names = selected.map((value) => options.find((option) => option.value === value)?.label ?? value);
  const open = async (): Promise<void> => setChoice(await loadChoice());
  const content = (
    <>
      {!isActive && <IconPlus size={14} stroke={1.6} aria-hidden />}
      <span>{label}</span>
      {isActive && <b className="strong cut">{names.length > 2 ? names.length : names.join(', ')}</b>}
    </>
  );
  return (
    <span className={`rigid soft note name hovers ${classes['chip']}`} data-active={isActive || undefined}>
      {choice ? (
        <choice.FilterChoice {...props}>{content}</choice.FilterChoice>
      ) : (
        <UnstyledButton
          className={`middle one-line ${classes['button']}`}
          aria-haspopup="listbox"
          aria-expanded={false}
          // Loads its data before it is pressed.
          onPointerEnter={loadChoice}
          onFocus={loadChoice}
          onClick={() => void open()}
        >
          {content}
        </UnstyledButton>
      )}
      {isActive && (
        <UnstyledButton
          className={`centred ${classes['remove']}`}
          aria-label={`Remove filter ${label}`}
          onClick={() => onChange([])}
        >
          <IconX size={14} stroke={1.6} aria-hidden />
        </UnstyledButton>
      )}
    </span>
  );
}
