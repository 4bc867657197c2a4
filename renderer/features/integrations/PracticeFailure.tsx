import { Box, Button, Radio, SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PracticeFailureKind } from '../../api/contract.ts';
import { practiceFailureQueryOptions } from '../../api/integrations/practice-failure.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { FormActions } from '../../components/form/FormActions.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { Banner } from '../../components/page/Banner.tsx';
import { formatSeconds } from '../../lib/format-time.ts';

const KINDS: ReadonlyArray<{ value: PracticeFailureKind; label: string; short: string; about: string }> = [
  {
    value: 'unauthorized',
    label: 'Every credential is refused (401)',
    short: 'refuses every credential (401)',
    about: 'Calls are repeated once with a renewed token, then fail.',
  },
  {
    value: 'rate_limited',
    label: 'Too many requests (429, Retry-After 5 s)',
    short: 'answers 429 with Retry-After 5 s',
    about: 'Calls with retries wait as long as they are told to.',
  },
  {
    value: 'server_error',
    label: 'The provider fails (500)',
    short: 'answers 500',
    about: 'Syncs keep what they saved before and go on from there.',
  },
  {
    value: 'timeout',
    label: 'No answer',
    short: 'does not answer',
    about: 'Each connection is closed after 30 seconds of silence.',
  },
  {
    value: 'broken_record',
    label: 'A broken record',
    short: 'sends a broken record',
    about: 'The first record of each answer has no id and a number as its title.',
  },
];

const MINUTES = ['1', '5', '15'] as const;

/** Says that a failure is simulated; nothing while the provider works. */
export function FailureBanner() {
  const env = useEnv();
  const { data: failure } = useQuery(practiceFailureQueryOptions(env));
  const end = useChange('DELETE /api/v1/practice/failure');
  if (!failure) return null;
  return (
    <Box px="var(--hp-gutter)">
      <Banner
        tone="warn"
        actions={
          <Button size="xs" variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            End now
          </Button>
        }
      >
        <b>A failure is simulated.</b> Until {formatSeconds(new Date(failure.endsAt))} the practice provider{' '}
        {KINDS.find(({ value }) => value === failure.kind)?.short}, for all connections to it.
      </Banner>
    </Box>
  );
}

/** Chooses what the practice provider does wrong, and for how long. */
export function FailureDialog({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<PracticeFailureKind>('rate_limited');
  const [minutes, setMinutes] = useState<(typeof MINUTES)[number]>('5');
  const start = useChange('PUT /api/v1/practice/failure');
  return (
    <OpenModal onClose={onClose} title="Simulate a failure" size={480} withCloseButton={false}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate(
            { body: { kind, minutes: Number(minutes) as 1 | 5 | 15 } },
            {
              onSuccess: () => {
                notifyDone('The practice provider fails now. Run a sync or an action to see what happens.');
                onClose();
              },
            },
          );
        }}
      >
        <Stack gap={16}>
          <p className="soft">
            The practice provider behaves like this for all connections to it, then works again by itself. Run a sync or
            an action meanwhile and look at its log, the overview and the notifications.
          </p>
          <Radio.Group aria-label="Failure" value={kind} onChange={(next) => setKind(next as PracticeFailureKind)}>
            <Stack gap={12}>
              {KINDS.map(({ about, label, value }) => (
                <Radio key={value} value={value} label={label} description={about} />
              ))}
            </Stack>
          </Radio.Group>
          <SegmentedControl
            aria-label="For how long"
            size="xs"
            data={MINUTES.map((value) => ({ value, label: value === '1' ? '1 minute' : `${value} minutes` }))}
            value={minutes}
            onChange={(next) => setMinutes(next as (typeof MINUTES)[number])}
          />
          <FormActions action="Start" isPending={start.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </OpenModal>
  );
}
