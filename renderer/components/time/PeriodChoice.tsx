import { SegmentedControl, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { describePeriod, PERIOD_PRESETS, type Period, parsePeriod, utcOffsetText } from '../../lib/period.ts';
import { zoneOffsetMinutes } from '../../lib/shown-zone.ts';
import { usePreferences } from '../use-preferences.ts';

interface PeriodChoiceProps {
  period: Period;
  onChoose: (period: Period) => void;
  isUtc: boolean;
  onUtc: ((isUtc: boolean) => void) | undefined;
}

/** The content of `PeriodPicker`. */
export function PeriodChoice({ period, onChoose, isUtc, onUtc }: PeriodChoiceProps) {
  const { timeZone } = usePreferences();
  return (
    <>
      <Written isUtc={isUtc} onChoose={onChoose} />
      <ul>
        {PERIOD_PRESETS.map(({ label, spanMs }) => (
          <Preset
            key={label}
            label={label}
            isChosen={period.kind === 'last' && period.spanMs === spanMs}
            onClick={() => onChoose({ kind: 'last', spanMs })}
          />
        ))}
        <Preset label="Any time" isChosen={period.kind === 'any'} onClick={() => onChoose({ kind: 'any' })} />
      </ul>
      {onUtc && (
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="Times are shown in"
          data={[
            { value: 'local', label: `${zoneName(timeZone)} (${utcOffsetText(zoneOffsetMinutes())})` },
            { value: 'utc', label: 'UTC' },
          ]}
          value={isUtc ? 'utc' : 'local'}
          onChange={(next) => onUtc(next === 'utc')}
        />
      )}
    </>
  );
}

/** "New York" for a zone that the person chose. */
function zoneName(timeZone: string | null): string {
  return timeZone?.slice(timeZone.lastIndexOf('/') + 1).replaceAll('_', ' ') ?? 'Local';
}

function Preset({ label, isChosen, onClick }: { label: string; isChosen: boolean; onClick: () => void }) {
  return (
    <li>
      <UnstyledButton className="item full" aria-pressed={isChosen} onClick={onClick}>
        {label}
      </UnstyledButton>
    </li>
  );
}

function Written({ isUtc, onChoose }: { isUtc: boolean; onChoose: (period: Period) => void }) {
  const [text, setText] = useState('');
  const [isTried, setTried] = useState(false);
  const meant = parsePeriod(text, { nowMs: Date.now(), isUtc });
  const problem = 'Enter a time like “last 30m”, “today 9-11” or “2026-11-20 10:00 to 12:00”.';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (meant) onChoose(meant);
        else setTried(true);
      }}
    >
      <TextInput
        label="Period"
        placeholder="last 30m, today 9-11, since 8:15"
        value={text}
        spellCheck={false}
        autoComplete="off"
        data-autofocus
        error={isTried && !meant ? problem : undefined}
        description={meant ? describePeriod(meant, isUtc) : 'Press Enter to apply it'}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setTried(false);
        }}
      />
    </form>
  );
}
