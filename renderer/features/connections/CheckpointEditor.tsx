import { Button, Group, Textarea } from '@mantine/core';
import { useUpdateSync } from '../../api/connections/sync-mutations.ts';
import type { ConnectionDetail, SyncListItem } from '../../api/contract.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { EditArea, EditButton } from '../../components/form/InlineEdit.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { Section } from '../../components/page/Section.tsx';
import { parseObject } from './import-form.ts';
import { OutdatedBanner } from './OutdatedBanner.tsx';
import { usePartEditor } from './use-part-editor.ts';

/** The checkpoint, where the next run of a sync continues: view, edit (Mod+Enter saves, Esc cancels) and reset. */
export function CheckpointEditor({ sync, connection }: { sync: SyncListItem; connection: ConnectionDetail }) {
  const update = useUpdateSync(connection, OWN_ERROR);
  const confirm = useConfirm();
  const { name, variant, checkpoint } = sync;
  const stored = checkpoint === null ? '' : JSON.stringify(checkpoint, null, 2);
  const { draft, error, isDirty, isOutdated, editButton, start, change, save, replace, close } = usePartEditor({
    part: 'Checkpoint',
    section: `Checkpoint of ${name}`,
    stored,
    problemOf: (text) => (parseObject(text) ? undefined : 'Enter a JSON object of texts, numbers and booleans.'),
    outdatedText: 'Keep the newer checkpoint or replace it.',
    send: (text, callbacks) =>
      update.mutate({ sync: name, variant, checkpoint: parseObject(text) ?? {}, replaces: checkpoint }, callbacks),
  });
  const askReset = (): void =>
    confirm.ask({
      title: `Reset the checkpoint of ${name}?`,
      text: 'The next run begins from the start. Stored records stay.',
      action: 'Reset checkpoint',
      run: async () => {
        await update.mutateAsync({ sync: name, variant, checkpoint: null });
        notifyDone('Checkpoint reset');
      },
    });
  return (
    <Section
      title="Checkpoint"
      aside={
        draft === undefined && (
          <Group gap={8}>
            {checkpoint !== null && (
              <Button size="xs" variant="subtle" onClick={askReset}>
                Reset
              </Button>
            )}
            <EditButton ref={editButton} onClick={start}>
              Edit checkpoint
            </EditButton>
          </Group>
        )
      }
    >
      {draft === undefined ? (
        checkpoint === null ? (
          <p className="faint">None. The next run begins from the start.</p>
        ) : (
          <pre className="scroll frame sunken" style={{ padding: '8px 12px', maxHeight: 200 }}>
            {stored}
          </pre>
        )
      ) : (
        <EditArea section={`Checkpoint of ${name}`} isDirty={isDirty} onSave={save} onCancel={close}>
          {isOutdated && (
            <OutdatedBanner isSaving={update.isPending} onKeep={close} onReplace={replace}>
              The checkpoint changed meanwhile. {checkpoint === null ? 'There is none now.' : 'It is now:'}
              {checkpoint !== null && (
                <code className="breaks" style={{ display: 'block' }}>
                  {JSON.stringify(checkpoint)}
                </code>
              )}
            </OutdatedBanner>
          )}
          <Textarea
            aria-label="Checkpoint as JSON"
            rows={5}
            value={draft}
            error={error}
            spellCheck={false}
            autoFocus
            classNames={{ input: 'mono' }}
            onChange={(event) => change(event.currentTarget.value)}
          />
          <Group gap={8} pt={8}>
            <Button size="xs" onClick={save} loading={update.isPending}>
              Save checkpoint
            </Button>
            <Button size="xs" variant="subtle" onClick={close}>
              Cancel
            </Button>
          </Group>
        </EditArea>
      )}
      {confirm.dialog}
    </Section>
  );
}
