import { Button, Group, SegmentedControl } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { PlaygroundRun } from '../../api/contract.ts';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { formatClock } from '../../lib/format-time.ts';
import { readStored, writeStored } from '../../lib/stored.ts';
import { comparableResult } from './playground-draft.ts';

const CodeDiff = lazy(async () => ({ default: (await import('../../components/code/CodeDiff.tsx')).CodeDiff }));

interface ResultDifferenceProps {
  run: PlaygroundRun;
  other: PlaygroundRun;
  onClose: () => void;
}

const STORED_AS = 'playground.difference';

/** Compares the results of two runs, the earlier one first. */
export function ResultDifference({ run, other, onClose }: ResultDifferenceProps) {
  const [view, setView] = useState(() => readStored<string>(STORED_AS, 'inline'));
  const [before, after] = run.startedAt < other.startedAt ? [run, other] : [other, run];
  const texts = [comparableResult(before), comparableResult(after)] as const;
  return (
    <>
      <Group gap={8} wrap="nowrap" justify="space-between" py={8} mih={32}>
        <p className="small" style={{ flex: 1 }}>
          {formatClock(before.startedAt, Date.now())} <span className="faint">and</span>{' '}
          {formatClock(after.startedAt, Date.now())}
        </p>
        <SegmentedControl
          size="xs"
          aria-label="View of the difference"
          data={[
            { value: 'inline', label: 'Inline' },
            { value: 'split', label: 'Split' },
          ]}
          value={view}
          onChange={(next) => {
            setView(next);
            writeStored(STORED_AS, next);
          }}
        />
        <Button size="compact-xs" variant="subtle" onClick={onClose}>
          Close comparison
        </Button>
      </Group>
      {texts[0] === texts[1] ? (
        <p className="soft note pt-12 pb-12">Both runs have the same result.</p>
      ) : (
        <div className="frame" style={{ height: 480, overflow: 'hidden' }}>
          <Suspense fallback={<PartLoading />}>
            <CodeDiff before={texts[0]} after={texts[1]} label="Results" isJson isSplit={view === 'split'} />
          </Suspense>
        </div>
      )}
    </>
  );
}
