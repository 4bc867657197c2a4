import { Button, Group, Modal } from '@mantine/core';
import { IconDeviceFloppy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { PlaygroundRun } from '../../api/contract.ts';
import { useSaveFixture } from '../../api/playground/playground-mutations.ts';
import { fixturePreviewQueryOptions } from '../../api/playground/playground-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { Banner } from '../../components/page/Banner.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { describeError } from '../../lib/api-error.ts';
import { formatBytes, formatCount } from '../../lib/format-number.ts';

const CodeView = lazy(async () => ({ default: (await import('../../components/code/CodeView.tsx')).CodeView }));

/** Saves a run of a function as its recorded run; shows why not, if a person can change the reason. */
export function SaveFixture({ run }: { run: PlaygroundRun }) {
  const [isOpen, setOpen] = useState(false);
  if (run.whyNotSaved !== null)
    return <p className="soft note pt-12 pb-12">Not saved as a fixture: {run.whyNotSaved}</p>;
  if (!run.canBeSaved) return null;
  return (
    <Group className="small" gap="4px 12px" pb={12}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDeviceFloppy size={14} stroke={1.6} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        Save as fixture
      </Button>
      <span className="faint">A recorded run, to test the function without the network.</span>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Save as fixture" size={640}>
        <Preview run={run} onClose={() => setOpen(false)} />
      </Modal>
    </Group>
  );
}

function Preview({ run, onClose }: { run: PlaygroundRun; onClose: () => void }) {
  const env = useEnv();
  const { data, error, refetch } = useQuery(fixturePreviewQueryOptions(env, run.id));
  const save = useSaveFixture(run.id);
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const write = (): void =>
    save.mutate(data.isThere, {
      onSuccess: ({ path }) => {
        notifyDone(`Saved ${path}`);
        onClose();
      },
    });
  return (
    <>
      <CopyRow value={data.path} label="Copy path" />
      <p className="soft">
        {formatCount(data.requests, 'response')} of the provider, {formatBytes(data.sizeBytes)}. The secrets of the
        connection are taken out. Check it before you share it.
      </p>
      {data.text === null ? (
        <p className="faint">The recording is too long to show here.</p>
      ) : (
        <div className="frame" style={{ height: 320, margin: '12px 0' }}>
          <Suspense fallback={<PartLoading />}>
            <CodeView code={data.text} label="Recorded run" />
          </Suspense>
        </div>
      )}
      {data.isThere && <Banner tone="warn">This file exists. Saving replaces the run that it holds.</Banner>}
      {save.error && <Banner tone="bad">{describeError(save.error).message}</Banner>}
      <Group justify="flex-end" gap={8} mt={16}>
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button data-tone={data.isThere ? 'bad' : undefined} loading={save.isPending} onClick={write}>
          {data.isThere ? 'Replace file' : 'Save'}
        </Button>
      </Group>
    </>
  );
}
