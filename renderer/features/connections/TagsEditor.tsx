import { Button, Group } from '@mantine/core';
import { useChangeTags } from '../../api/connections/change-tags.ts';
import { useUpdateConnection } from '../../api/connections/connections-mutations.ts';
import type { ConnectionDetail } from '../../api/contract.ts';
import { useFilterValues } from '../../api/lists/use-filter-values.ts';
import { EditArea, EditButton } from '../../components/form/InlineEdit.tsx';
import { KeyValueEditor } from '../../components/form/KeyValueEditor.tsx';
import { isSameValue } from '../../components/form/use-draft.ts';
import { Section } from '../../components/page/Section.tsx';
import { TagLine } from '../../components/tag/TagLine.tsx';
import { type KeyValue, toRecord } from '../../lib/key-values.ts';
import { OutdatedBanner } from './OutdatedBanner.tsx';
import { usePartEditor } from './use-part-editor.ts';

const MAX_TAGS = 10;
const NAME = /^[a-zA-Z][a-zA-Z0-9_\-./]{0,63}$/;

/** The server's rules, checked before the request. */
function tagsProblem(pairs: readonly KeyValue[]): string | undefined {
  const given = pairs.filter(({ key, value }) => key.trim() !== '' || value !== '');
  if (given.length > MAX_TAGS) return `A connection has at most ${MAX_TAGS} tags.`;
  const names = given.map(({ key }) => key.trim().toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `The tag ${twice} is there twice.`;
  for (const { key, value } of given) {
    if (!NAME.test(key.trim()))
      return `“${key.trim()}” cannot be a name: begin with a letter, then letters, digits, _, -, . and /.`;
    if (value === '' || value.length > 255) return `Give ${key.trim()} a value of 1 to 255 characters.`;
  }
  return undefined;
}

/** Tags: view, edit, save (Mod+Enter) or cancel (Esc). */
export function TagsEditor({ connection }: { connection: ConnectionDetail }) {
  const update = useUpdateConnection(connection);
  const known = useFilterValues('connections.tags', false);
  const change = useChangeTags(connection);
  const tags = Object.entries(connection.tags);
  const {
    draft,
    error,
    isDirty,
    isOutdated,
    editButton,
    start,
    change: edit,
    save,
    replace,
    close,
  } = usePartEditor<KeyValue[]>({
    part: 'Tags',
    stored: tags.map(([key, value]) => ({ key, value })),
    differs: (pairs, base) =>
      !isSameValue(
        pairs.filter(({ key, value }) => key !== '' || value !== ''),
        base,
      ),
    problemOf: tagsProblem,
    outdatedText: 'Keep the newer tags or replace them.',
    send: (pairs, callbacks) => update.mutate({ tags: toRecord(pairs) }, callbacks),
  });
  if (draft === undefined)
    return (
      <Section
        title="Tags"
        aside={
          <EditButton ref={editButton} onClick={start}>
            Edit tags
          </EditButton>
        }
      >
        {tags.length === 0 && <p className="faint">None. Lists find connections by their tags.</p>}
        <TagLine
          of={connection.displayName ?? connection.connectionId}
          tags={tags}
          known={known}
          onChange={change.mutateAsync}
        />
      </Section>
    );
  return (
    <Section title="Tags">
      <EditArea section="Tags" isDirty={isDirty} onSave={save} onCancel={close}>
        {isOutdated && (
          <OutdatedBanner isSaving={update.isPending} onKeep={close} onReplace={replace}>
            The tags changed meanwhile.
          </OutdatedBanner>
        )}
        <KeyValueEditor
          label="Tags of this connection"
          description="Up to 10. Names are stored in lower case. Paste NAME=value lines or a JSON object."
          noun="Tag"
          pairs={draft}
          error={error}
          onChange={edit}
        />
        <Group gap={8} pt={8}>
          <Button onClick={save} loading={update.isPending} disabled={!isDirty}>
            Save tags
          </Button>
          <Button variant="subtle" onClick={close}>
            Cancel
          </Button>
        </Group>
      </EditArea>
    </Section>
  );
}
