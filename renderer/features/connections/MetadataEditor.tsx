import { Button, Group, Textarea } from '@mantine/core';
import { useUpdateConnection } from '../../api/connections/connections-mutations.ts';
import type { ConnectionDetail } from '../../api/contract.ts';
import { EditArea, EditButton } from '../../components/form/InlineEdit.tsx';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { Section } from '../../components/page/Section.tsx';
import { parseObject } from './import-form.ts';
import { OutdatedBanner } from './OutdatedBanner.tsx';
import { usePartEditor } from './use-part-editor.ts';

/** An empty text is an empty object; undefined or null when the text is not an object. */
const readMetadata = (text: string) => (text.trim() === '' ? {} : parseObject(text));

/** Metadata: view, edit, save (Mod+Enter) or cancel (Esc); a refused save stays in the editor. */
export function MetadataEditor({ connection }: { connection: ConnectionDetail }) {
  const update = useUpdateConnection(connection);
  const stored = JSON.stringify(connection.metadata, null, 2);
  const { draft, error, isDirty, isOutdated, editButton, start, change, save, replace, close } = usePartEditor({
    part: 'Metadata',
    stored,
    problemOf: (text) => (readMetadata(text) ? undefined : `Enter a JSON object. ${syntaxProblem(text)}`.trim()),
    outdatedText: 'Keep the newer metadata or replace it.',
    send: (text, callbacks) =>
      update.mutate({ metadata: readMetadata(text) ?? {}, replacesMetadata: connection.metadata }, callbacks),
  });
  const parsed = draft === undefined ? undefined : readMetadata(draft);
  const changes = parsed && objectChanges(connection.metadata, parsed);
  const edit = (
    <EditButton ref={editButton} onClick={start}>
      Edit metadata
    </EditButton>
  );
  return (
    <Section title="Metadata" aside={draft === undefined && edit}>
      {draft === undefined ? (
        Object.keys(connection.metadata).length === 0 ? (
          <p className="faint">Empty. Functions can read what you enter here.</p>
        ) : (
          <JsonViewer json={JSON.stringify(connection.metadata)} label="Metadata" height={320} isPlain />
        )
      ) : (
        <EditArea section="Metadata" isDirty={isDirty} onSave={save} onCancel={close}>
          {isOutdated && (
            <OutdatedBanner isSaving={update.isPending} onKeep={close} onReplace={replace}>
              The metadata changed meanwhile.
            </OutdatedBanner>
          )}
          <Textarea
            aria-label="Metadata as JSON"
            autosize={false}
            rows={Math.min(Math.max(draft.split('\n').length, 4), 20)}
            value={draft}
            error={error}
            spellCheck={false}
            autoFocus
            classNames={{ input: 'mono' }}
            onChange={(event) => change(event.currentTarget.value)}
          />
          {changes && <Changes changes={changes} />}
          <Group gap={8} pt={8}>
            <Button onClick={save} loading={update.isPending}>
              Save metadata
            </Button>
            <Button variant="subtle" onClick={close}>
              Cancel
            </Button>
          </Group>
        </EditArea>
      )}
    </Section>
  );
}

/** The changes that saving would make, by member. */
function Changes({ changes: { added, changed, removed } }: { changes: ObjectChanges }) {
  const parts = [
    ...(added.length > 0 ? [`adds ${added.join(', ')}`] : []),
    ...(changed.length > 0 ? [`changes ${changed.join(', ')}`] : []),
    ...(removed.length > 0 ? [`removes ${removed.join(', ')}`] : []),
  ];
  return (
    <p className="faint" role="status" style={{ paddingTop: 4, fontSize: 12 }}>
      {parts.length === 0 ? 'No changes.' : `Saving ${parts.join('; ')}.`}
    </p>
  );
}

/** The browser's message about invalid JSON; empty for valid JSON that is not an object. */
function syntaxProblem(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return error instanceof SyntaxError ? error.message : '';
  }
}

interface ObjectChanges {
  added: string[];
  changed: string[];
  removed: string[];
}

/** The members in which two objects differ; each member is compared as a whole. */
function objectChanges(before: Record<string, unknown>, after: Record<string, unknown>): ObjectChanges {
  const has = (object: Record<string, unknown>, name: string): boolean => Object.hasOwn(object, name);
  const names = Object.keys(after);
  return {
    added: names.filter((name) => !has(before, name)),
    changed: names.filter((name) => has(before, name) && JSON.stringify(before[name]) !== JSON.stringify(after[name])),
    removed: Object.keys(before).filter((name) => !has(after, name)),
  };
}
