import { Button, Select, Stack } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { useState } from 'react';
import type { RequestInput, ResponseOf } from '../../api/request.ts';
import { useChange } from '../../api/use-change.ts';
import { DescriptionForm } from '../../components/form/DescriptionForm.tsx';
import { FormActions } from '../../components/form/FormActions.tsx';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { formatCount } from '../../lib/format-number.ts';

type Proposed = ResponseOf<'POST /api/v1/provider-entries/propose'>;
type Source = RequestInput<'POST /api/v1/provider-entries/propose'>['body'];

/** Writes the entry from an API description or from what an MCP server says of itself. */
export function FromDescription({ onProposed }: { onProposed: (proposed: Proposed) => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<IconFileImport size={16} />} onClick={() => setOpen(true)}>
        From a description
      </Button>
      {isOpen && (
        <Dialog
          onClose={() => setOpen(false)}
          onProposed={(proposed) => {
            setOpen(false);
            onProposed(proposed);
          }}
        />
      )}
    </>
  );
}

function Dialog({ onClose, onProposed }: { onClose: () => void; onProposed: (proposed: Proposed) => void }) {
  const [source, setSource] = useState<Source>();
  const propose = useChange('POST /api/v1/provider-entries/propose', { ownError: true });
  const read = (body: Source): void => {
    setSource(body);
    propose.mutate({ body });
  };
  const proposed = propose.data;
  return (
    <OpenModal onClose={onClose} title="From a description" size={560}>
      <Stack>
        <DescriptionForm
          description="Of an OpenAPI description (often openapi.json) or of an MCP server"
          hasFocus
          isReading={propose.isPending}
          isRead={proposed !== undefined}
          onRead={read}
        />
        {propose.error && !propose.isPending && <ErrorPanel error={propose.error} />}
        {proposed && source && (
          <>
            <Found proposed={proposed} onAuth={(auth) => read({ ...source, auth })} />
            <FormActions
              action="Use this entry"
              isDisabled={propose.isPending}
              onCancel={onClose}
              onAct={() => onProposed(proposed)}
            />
          </>
        )}
      </Stack>
    </OpenModal>
  );
}

function Found({ proposed, onAuth }: { proposed: Proposed; onAuth: (name: string) => void }) {
  const { choices, open, operationCount, provider } = proposed;
  return (
    <Stack gap={12} role="status">
      <p>
        <code>{provider}</code>
        {operationCount > 0 && <span className="soft">, {formatCount(operationCount, 'operation', 'operations')}</span>}
      </p>
      {choices.length > 1 && (
        <Select
          label="Way to authorize"
          data={choices.map(({ label, name }) => ({ value: name, label: `${label} (${name})` }))}
          value={choices.find(({ isChosen }) => isChosen)?.name ?? null}
          onChange={(name) => name !== null && onAuth(name)}
          allowDeselect={false}
          comboboxProps={{ withinPortal: true }}
        />
      )}
      {open.length > 0 && (
        <div>
          <p className="soft">Not in the description, or left to you. The entry repeats it as comments.</p>
          <ul className="scroll" style={{ marginTop: 8, maxHeight: 200 }}>
            {open.map(({ keyPath, reason }) => (
              <li className="pt-4 pb-4" key={`${keyPath}${reason}`}>
                <code>{keyPath}</code> <span>{reason}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Stack>
  );
}
