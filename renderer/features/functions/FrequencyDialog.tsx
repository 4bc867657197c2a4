import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { useNextRuns } from '../../api/connections/use-next-runs.ts';
import type { FunctionConnectionRow } from '../../api/contract.ts';
import { FrequencyInput } from '../../components/function/FrequencyInput.tsx';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { formatNumber } from '../../lib/format-number.ts';

interface FrequencyDialogProps {
  integrationKey: string;
  name: string;
  /** At least one: the syncs that are changed. */
  rows: [FunctionConnectionRow, ...FunctionConnectionRow[]];
  onSave: (frequency: string | null) => void;
  onClose: () => void;
}

/** How often a sync runs on the connections that were chosen. What the code says stays, for the other connections. */
export function FrequencyDialog({ integrationKey, name, rows, onSave, onClose }: FrequencyDialogProps) {
  const [{ connectionId, variant }] = rows;
  const [draft, setDraft] = useState('');
  const frequency = draft.trim();
  const next = useNextRuns({ integrationKey, connectionId }, { name, variant }, frequency);
  const isWrong = next !== undefined && 'problem' in next;
  return (
    <OpenModal onClose={onClose} withCloseButton={false} size={480} title={`How often ${name} runs`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (frequency !== '' && !isWrong) onSave(frequency);
        }}
      >
        <p className="soft" style={{ paddingBottom: 12 }}>
          {`For ${rows.length === 1 ? 'the connection' : `the ${formatNumber(rows.length)} connections`} chosen. Other connections, and new ones, follow the code of the function.`}
        </p>
        <FrequencyInput
          label="Frequency"
          value={draft}
          onChange={setDraft}
          next={next}
          nextLabel={`Next runs of ${connectionId}`}
        />
        <Group justify="flex-end" gap={8} mt={24}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {rows.some((row) => row.hasOwnFrequency) && (
            <Button variant="default" onClick={() => onSave(null)}>
              Use the function’s
            </Button>
          )}
          <Button type="submit" disabled={frequency === '' || isWrong}>
            Save frequency
          </Button>
        </Group>
      </form>
    </OpenModal>
  );
}
