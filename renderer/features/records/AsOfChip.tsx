import { Button, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { IconHistory, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { HistoryState } from '../../api/contract.ts';
import { recordHistoryQueryOptions, type StreamRef } from '../../api/records/records-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import chip from '../../components/list/FilterChip.module.css';
import { formatDateTime } from '../../lib/format-time.ts';
import { fromInputValue, toInputValue } from '../../lib/shown-zone.ts';
import classes from './AsOfChip.module.css';
import { HistorySwitch, historyOffer } from './HistorySwitch.tsx';
import { pastChoices } from './past-moments.ts';

interface AsOfChipProps {
  connection: ConnectionRef;
  stream: StreamRef;
  at: string | undefined;
  onChange: (at: string | undefined) => void;
}

/** Shows the table as it was at a moment; where no history is kept, offers to turn it on. */
export function AsOfChip({ connection, stream, at, onChange }: AsOfChipProps) {
  const env = useEnv();
  const [isOpen, setIsOpen] = useState(false);
  const { data: history, refetch } = useQuery(recordHistoryQueryOptions(env, connection, stream));
  const toggle = (): void => {
    if (!isOpen) void refetch();
    setIsOpen(!isOpen);
  };
  const choose = (next: string | undefined): void => {
    setIsOpen(false);
    onChange(next);
  };
  return (
    <span className={`rigid soft note name hovers ${chip['chip']}`} data-active={at !== undefined || undefined}>
      <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={300} trapFocus returnFocus>
        <Popover.Target>
          <UnstyledButton className={`middle one-line ${chip['button']}`} onClick={toggle} disabled={!history}>
            <IconHistory size={14} stroke={1.6} aria-hidden />
            <span>As of</span>
            {at !== undefined && <b>{formatDateTime(at)}</b>}
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown className={classes['menu'] ?? ''}>
          {history?.since && <MomentForm key={at} since={history.since} at={at} onChoose={choose} />}
          {history && !history.since && <Offer {...{ connection, stream, history }} />}
        </Popover.Dropdown>
      </Popover>
      {at !== undefined && (
        <UnstyledButton
          className={`centred ${chip['remove']}`}
          aria-label="Back to now"
          onClick={() => choose(undefined)}
        >
          <IconX size={14} stroke={1.6} aria-hidden />
        </UnstyledButton>
      )}
    </span>
  );
}

function MomentForm(props: { since: string; at: string | undefined; onChoose: (at: string) => void }) {
  const now = Date.now();
  const [text, setText] = useState(toInputValue(props.at ?? new Date(now).toISOString()));
  const moment = fromInputValue(text);
  const problem = findProblem(moment, props.since, now);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (moment !== undefined && problem === undefined) props.onChoose(moment);
      }}
    >
      <TextInput
        type="datetime-local"
        step={1}
        label="Show the records as of"
        description={`The history begins on ${formatDateTime(props.since)}.`}
        min={toInputValue(props.since)}
        max={toInputValue(new Date(now).toISOString())}
        value={text}
        error={problem}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      <div className={`flex gap-4 wrap ${classes['choices']}`}>
        {pastChoices(props.since, now).map((choice) => (
          <Button key={choice.label} variant="default" size="compact-xs" onClick={() => props.onChoose(choice.at)}>
            {choice.label}
          </Button>
        ))}
      </div>
      <Button type="submit" disabled={problem !== undefined}>
        Show
      </Button>
    </form>
  );
}

/** The field has whole seconds, so the second in which the history began counts as too early. */
function findProblem(moment: string | undefined, since: string, now: number): string | undefined {
  if (moment === undefined) return 'Enter a date and a time.';
  if (Date.parse(moment) <= Date.parse(since)) return 'No history was kept then.';
  return Date.parse(moment) > now ? 'This time is in the future.' : undefined;
}

function Offer({
  connection,
  stream,
  history,
}: {
  connection: ConnectionRef;
  stream: StreamRef;
  history: HistoryState;
}) {
  if (history.isOn) return <p>A history is kept, and no record of this connection has been saved since.</p>;
  return (
    <>
      <p>{historyOffer(history, stream.model)}</p>
      {history.sync !== null && <HistorySwitch {...{ connection, stream, history }} />}
    </>
  );
}
