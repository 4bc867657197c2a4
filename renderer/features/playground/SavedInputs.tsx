import { Button, Menu } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { SavedPlaygroundInput } from '../../api/contract.ts';
import { savedInputsQueryOptions } from '../../api/playground/playground-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { SaveUnderName } from '../../components/form/SaveUnderName.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { type Draft, isSavable, requestOf, sameInput, withInput } from './playground-draft.ts';

interface SavedInputsProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
}

/** Saved inputs of the chosen function, or requests to the integration; each can be filled in or deleted. */
export function SavedInputs({ draft, onChange }: SavedInputsProps) {
  const { integrationKey, kind, name } = draft;
  const env = useEnv();
  const isNamed = kind === 'proxy' || ((kind === 'action' || kind === 'sync') && name !== '');
  const target = isNamed && integrationKey !== '' ? kind : undefined;
  const of = target && { integration: integrationKey, kind: target, ...(target === 'proxy' ? {} : { name }) };
  const { data: saved } = useQuery(savedInputsQueryOptions(env, of));
  const save = useChange('PUT /api/v1/playground/inputs');
  const remove = useChange('DELETE /api/v1/playground/inputs/:inputId');
  if (!of || !saved) return null;
  const made = requestOf(draft);
  const request = 'request' in made && isSavable(made.request) ? made.request : undefined;
  const current = request && saved.find((one) => sameInput(one.request, request));
  const keep = (title: string): void => {
    if (!request) return;
    save.mutate(
      { body: { name: title, request } },
      {
        onSuccess: () => notifyDone(`Saved ${title}`),
      },
    );
  };
  const drop = (one: SavedPlaygroundInput): void => remove.mutate({ params: { inputId: one.id } });
  if (saved.length === 0 && !request) return null;
  return (
    <>
      {saved.length > 0 && (
        <Menu position="bottom-end" width={240}>
          <Menu.Target>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconBookmark size={14} stroke={1.6} aria-hidden />}
              maw={200}
            >
              {current?.name ?? 'Saved'}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {saved.map((one) => (
              <Menu.Item
                key={one.id}
                aria-current={one === current || undefined}
                fw={one === current ? 600 : 400}
                onClick={() => onChange(withInput(draft, one.request))}
              >
                {one.name}
              </Menu.Item>
            ))}
            {current && (
              <>
                <Menu.Divider />
                <Menu.Item
                  color="var(--hp-bad)"
                  leftSection={<IconTrash size={14} stroke={1.6} aria-hidden />}
                  onClick={() => drop(current)}
                >
                  Delete {current.name}
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      {request && !current && <SaveUnderName label="Save input" nameLabel="Name of the input" onSave={keep} />}
    </>
  );
}
