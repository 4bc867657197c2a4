import { Button, Group } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { describeError } from '../../api/api-error.ts';
import { useUpdateConnection } from '../../api/connections/connections-mutations.ts';
import type { ConnectionDetail } from '../../api/contract.ts';
import { KeyValueEditor } from '../../components/KeyValueEditor.tsx';
import { notifyDone } from '../../components/notify.ts';
import { Section } from '../../components/Section.tsx';
import { Tag } from '../../components/Tag.tsx';
import { useUnsaved } from '../../components/unsaved-context.ts';
import { type KeyValue, toRecord } from '../../lib/key-values.ts';

const MOST_TAGS = 10;
const NAME = /^[a-zA-Z][a-zA-Z0-9_\-./]{0,63}$/;

/** What the server would refuse, before it is asked. */
function tagsProblem(pairs: readonly KeyValue[]): string | undefined {
  const given = pairs.filter(({ key, value }) => key.trim() !== '' || value !== '');
  if (given.length > MOST_TAGS) return `A connection has at most ${MOST_TAGS} tags.`;
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

/** View, edit, save (Mod+Enter) or cancel (Esc). */
export function TagsEditor({ connection }: { connection: ConnectionDetail }) {
  const [draft, setDraft] = useState<KeyValue[]>();
  const [error, setError] = useState<string>();
  const update = useUpdateConnection(connection);
  const editButton = useRef<HTMLButtonElement>(null);
  const tags = Object.entries(connection.tags);
  const isDirty = draft !== undefined && JSON.stringify(toRecord(draft)) !== JSON.stringify(connection.tags);
  useUnsaved('Tags', isDirty);
  const close = (): void => {
    setDraft(undefined);
    setError(undefined);
    // The button is there again after this render.
    setTimeout(() => editButton.current?.focus());
  };
  const save = (): void => {
    const problem = tagsProblem(draft ?? []);
    if (problem !== undefined) return setError(problem);
    update.mutate(
      { tags: toRecord(draft ?? []) },
      {
        onSuccess: () => {
          close();
          notifyDone('Tags saved');
        },
        onError: (failure) => setError(describeError(failure).message),
      },
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
    else return;
    event.preventDefault();
  };
  if (draft === undefined)
    return (
      <Section
        title="Tags"
        aside={
          <Button
            ref={editButton}
            size="xs"
            variant="default"
            leftSection={<IconPencil size={14} stroke={1.6} />}
            onClick={() => setDraft(tags.map(([key, value]) => ({ key, value })))}
          >
            Edit tags
          </Button>
        }
      >
        {tags.length === 0 && <p className="faint">None. Lists find connections by their tags.</p>}
        <div className="row" style={{ flexWrap: 'wrap', gap: 4 }}>
          {tags.map(([name, value]) => (
            <Tag key={name}>{`${name}: ${value}`}</Tag>
          ))}
        </div>
      </Section>
    );
  return (
    <Section title="Tags">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: takes the keys of the fields inside. */}
      <div onKeyDown={onKeyDown}>
        <KeyValueEditor
          label="Tags of this connection"
          description="Up to 10. Names are stored in lower case. Paste NAME=value lines or a JSON object."
          noun="Tag"
          pairs={draft}
          error={error}
          onChange={(pairs) => {
            setError(undefined);
            setDraft(pairs);
          }}
        />
        <Group gap={8} pt={8}>
          <Button onClick={save} loading={update.isPending} disabled={!isDirty}>
            Save tags
          </Button>
          <Button variant="subtle" onClick={close}>
            Cancel
          </Button>
        </Group>
      </div>
    </Section>
  );
}
