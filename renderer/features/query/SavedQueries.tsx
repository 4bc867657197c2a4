import { ActionIcon, Menu, TextInput, UnstyledButton } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ShownQuery } from '../../api/contract.ts';
import { savedQueriesQueryOptions } from '../../api/queries/record-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { FormActions } from '../../components/form/FormActions.tsx';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { useConfirm } from '../../components/notice/use-confirm.tsx';

interface SavedQueriesProps {
  openId: string | undefined;
  onOpen: (query: ShownQuery) => void;
}

/** Statements that were kept; a name runs it. */
export function SavedQueries({ openId, onOpen }: SavedQueriesProps) {
  const { data: saved } = useQuery(savedQueriesQueryOptions(useEnv()));
  const [renamed, setRenamed] = useState<ShownQuery>();
  if (!saved || saved.length === 0) return null;
  return (
    <section aria-label="Saved queries">
      <h2 className="faint small" style={{ padding: '8px 12px 4px', fontWeight: 500 }}>
        Saved
      </h2>
      {saved.map((query) => (
        <div key={query.id} className="flex gap-8" style={{ padding: '0 12px', alignItems: 'center' }}>
          <UnstyledButton
            className="grow breaks"
            style={{ minHeight: 26 }}
            aria-current={query.id === openId ? 'true' : undefined}
            fw={query.id === openId ? 600 : undefined}
            onClick={() => onOpen(query)}
          >
            {query.name}
          </UnstyledButton>
          <SavedMenu query={query} onRename={() => setRenamed(query)} />
        </div>
      ))}
      {renamed && <RenameQuery query={renamed} onClose={() => setRenamed(undefined)} />}
    </section>
  );
}

function SavedMenu({ query, onRename }: { query: ShownQuery; onRename: () => void }) {
  const remove = useChange('DELETE /api/v1/saved-queries/:queryId', { done: 'Query deleted' });
  const { ask, dialog } = useConfirm();
  const askDelete = (): void =>
    ask({
      title: `Delete “${query.name}”?`,
      text: 'The statement is gone; records are not touched.',
      action: 'Delete query',
      run: () => remove.mutateAsync({ params: { queryId: query.id } }),
    });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size={24} aria-label={`More for ${query.name}`}>
            <IconDots size={14} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onRename}>Rename</Menu.Item>
          <Menu.Item color="red" onClick={askDelete}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog}
    </>
  );
}

function RenameQuery({ query, onClose }: { query: ShownQuery; onClose: () => void }) {
  const [name, setName] = useState(query.name);
  const rename = useChange('PATCH /api/v1/saved-queries/:queryId', { ownError: true, onSuccess: onClose });
  return (
    <OpenModal onClose={onClose} title="Rename the query" size={400}>
      <form
        className="stack gap-16"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ params: { queryId: query.id }, body: { name: name.trim() } });
        }}
      >
        <TextInput
          label="Name"
          value={name}
          maxLength={100}
          data-autofocus
          error={rename.error?.message}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FormActions action="Rename" isPending={rename.isPending} isDisabled={name.trim() === ''} onCancel={onClose} />
      </form>
    </OpenModal>
  );
}
