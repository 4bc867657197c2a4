import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { RecordDestinationRow } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { notifyDone } from '../../components/notice/notify.ts';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { problemsByField } from '../../lib/api-error.ts';
import { DESTINATION_KINDS } from './destination-look.ts';
import { RecordDestinationFields, TestResult } from './RecordDestinationFields.tsx';
import { NEW_DRAFT, newBody } from './record-destination-draft.ts';

const KINDS = Object.entries(DESTINATION_KINDS).map(([value, label]) => ({ value, label }));

const WHAT: Record<RecordDestinationRow['kind'], string> = {
  postgres: 'A table for each model. Rows are inserted, updated and deleted as records change, exactly once.',
  ndjson: 'A file a day for each model, with one change a line.',
  http: 'A signed POST with up to 2,000 changes at a time.',
};

/** Asks where records should go, tries it, and creates the destination. */
export function CreateRecordDestination({ onClose }: { onClose: () => void }) {
  const create = useChange('POST /api/v1/record-destinations', { ownError: true });
  const test = useChange('POST /api/v1/record-destinations/test', { ownError: true });
  const [draft, setDraft] = useState(NEW_DRAFT);
  const error = create.error ?? test.error;
  const problems = problemsByField(error);
  const change = (patch: Partial<typeof draft>): void => {
    setDraft({ ...draft, ...patch });
    test.reset();
    create.reset();
  };
  return (
    <OpenModal onClose={onClose} title="New destination" size={560} isSaved={create.isSuccess}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(
            { body: newBody(draft) },
            {
              onSuccess: ({ name }) => {
                notifyDone(`${name} gets records from now on`);
                onClose();
              },
            },
          );
        }}
      >
        <Stack gap={16}>
          <div>
            <SegmentedControl
              fullWidth
              aria-label="Kind"
              data={KINDS}
              value={draft.kind}
              onChange={(kind) => change({ kind: kind as typeof draft.kind })}
            />
            <p className="soft pt-8">{WHAT[draft.kind]}</p>
          </div>
          <RecordDestinationFields draft={draft} problems={problems} isNew onChange={change} />
          <TestResult result={test.data} />
          {problems['whole'] && (
            <Text size="sm" c="var(--hp-bad)" role="alert">
              {problems['whole']}
            </Text>
          )}
          <Group justify="space-between" gap={8}>
            <Button
              variant="default"
              loading={test.isPending}
              onClick={() => test.mutate({ body: newBody({ ...draft, name: draft.name || 'Test' }) })}
            >
              Test connection
            </Button>
            <Group gap={8}>
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending}>
                Create destination
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </OpenModal>
  );
}
