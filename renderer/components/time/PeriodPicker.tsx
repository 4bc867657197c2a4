import { Button, Popover } from '@mantine/core';
import { IconCalendar, IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { describePeriod, type Period } from '../../lib/period.ts';

interface PeriodPickerProps {
  /** A noun before the period: "Modified". */
  label?: string;
  period: Period;
  onChange: (period: Period) => void;
  isUtc?: boolean;
  /** Absent: times are in the shown zone. */
  onUtc?: (isUtc: boolean) => void;
}

const loadPeriodChoice = () => import('./PeriodChoice.tsx');

/** Chooses the period of a list: a preset, or a typed one like "today 9-11". Its choices are loaded with the first press. */
export function PeriodPicker({ label, period, onChange, isUtc = false, onUtc }: PeriodPickerProps) {
  const [content, setContent] = useState<Awaited<ReturnType<typeof loadPeriodChoice>>>();
  const [isOpen, setOpen] = useState(false);
  const text = describePeriod(period, isUtc);
  const open = async (): Promise<void> => {
    const choice = await loadPeriodChoice();
    // The popover moves the focus to its field only if that is there when it opens.
    flushSync(() => setContent(choice));
    setOpen(true);
  };
  const choose = (next: Period): void => {
    setOpen(false);
    onChange(next);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={300} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          aria-label={`${label ?? 'Period'}: ${text}`}
          leftSection={<IconCalendar size={16} stroke={1.6} aria-hidden />}
          rightSection={<IconChevronDown size={14} stroke={1.6} aria-hidden />}
          onPointerEnter={loadPeriodChoice}
          onFocus={loadPeriodChoice}
          onClick={() => (isOpen ? setOpen(false) : void open())}
        >
          {label === undefined ? text : `${label}: ${text}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="stack gap-8" p={12} aria-label="Period">
        {content && <content.PeriodChoice {...{ period, isUtc, onUtc }} onChoose={choose} />}
      </Popover.Dropdown>
    </Popover>
  );
}
