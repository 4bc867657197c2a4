import { TextInput } from '@mantine/core';
import { formatDateTime, formatSeconds } from '../../lib/format-time.ts';
import { useNow } from '../time/use-now.ts';

const DAY_MS = 86_400_000;

interface FrequencyInputProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  /** The next runs with this frequency, or why there are none; undefined while that is not known. */
  next: { times: string[] } | { problem: string } | undefined;
  /** Words before the times: "Next runs". */
  nextLabel: string;
}

/** The frequency of a sync as text, and what it means. */
export function FrequencyInput({ label, value, onChange, error, next, nextLabel }: FrequencyInputProps) {
  const now = useNow();
  const isSoon = (at: string): boolean => Date.parse(at) < now + DAY_MS;
  const timeOf = (at: string): string => (isSoon(at) ? formatSeconds(new Date(at)) : formatDateTime(at));
  return (
    <>
      <TextInput
        label={label}
        description="For example: every 5 minutes, every hour, 2d. At least 30 seconds."
        value={value}
        error={error}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        autoFocus
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <p className="faint" style={{ paddingTop: 4 }}>
        {next && 'problem' in next ? next.problem : `${nextLabel}: ${next ? next.times.map(timeOf).join(', ') : '…'}`}
      </p>
    </>
  );
}
