import { Button, Group, Textarea } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { type KeyboardEvent, useState } from 'react';
import { describeError } from '../../api/api-error.ts';
import { useUpdateConnection } from '../../api/connections/connections-mutations.ts';
import type { ConnectionDetail } from '../../api/contract.ts';
import { JsonTree } from '../../components/JsonTree.tsx';
import { notifyDone } from '../../components/notify.ts';
import { Section } from '../../components/Section.tsx';
import { parseObject } from './import-form.ts';

/** View, edit, save (Mod+Enter) or cancel (Esc); a refusal stays in the editor. */
export function MetadataEditor({ connection }: { connection: ConnectionDetail }) {
  const [draft, setDraft] = useState<string>();
  const [error, setError] = useState<string>();
  const update = useUpdateConnection(connection);
  const save = (): void => {
    const metadata = parseObject(draft ?? '') ?? (draft?.trim() === '' ? {} : null);
    if (!metadata) return setError('Enter a JSON object.');
    update.mutate(
      { metadata },
      {
        onSuccess: () => {
          setDraft(undefined);
          notifyDone('Metadata saved');
        },
        onError: (failure) => setError(describeError(failure).message),
      },
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') setDraft(undefined);
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
  };
  const edit = (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPencil size={14} stroke={1.6} />}
      onClick={() => {
        setError(undefined);
        setDraft(JSON.stringify(connection.metadata, null, 2));
      }}
    >
      Edit metadata
    </Button>
  );
  return (
    <Section title="Metadata" aside={draft === undefined && edit}>
      {draft === undefined ? (
        Object.keys(connection.metadata).length === 0 ? (
          <p className="faint">Empty. Functions read what you put here.</p>
        ) : (
          <JsonTree value={connection.metadata} label="Metadata" maxHeight={320} />
        )
      ) : (
        <>
          <Textarea
            aria-label="Metadata as JSON"
            autosize={false}
            rows={Math.min(Math.max(draft.split('\n').length, 4), 20)}
            value={draft}
            error={error}
            spellCheck={false}
            autoFocus
            classNames={{ input: 'mono' }}
            onChange={(event) => setDraft(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <Group gap={8} pt={8}>
            <Button onClick={save} loading={update.isPending}>
              Save metadata
            </Button>
            <Button variant="subtle" onClick={() => setDraft(undefined)}>
              Cancel
            </Button>
          </Group>
        </>
      )}
    </Section>
  );
}
