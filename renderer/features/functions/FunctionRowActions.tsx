import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { FunctionListItem } from '../../api/contract.ts';
import { useToggleFunction } from '../../api/functions/functions-mutations.ts';
import { useEnv } from '../../api/use-env.ts';
import { notifyError } from '../../components/notice/notify.ts';
import { notifyUndoable } from '../../components/notice/notify-undoable.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { useShell } from '../../components/shell-context.ts';
import { PLAYGROUND_KINDS } from '../../lib/function-filters.ts';
import { paths } from '../../lib/paths.ts';

/** The content of the menu of a function in a list, and the question before a sync is disabled. */
export function FunctionRowActions({ row, children }: { row: FunctionListItem; children: ReactNode }) {
  const env = useEnv();
  const { openPlayground } = useShell();
  const toggle = useToggleFunction(row);
  const confirm = useConfirm();
  const { integrationKey, name, type } = row;
  const send = async (isEnabled: boolean): Promise<void> =>
    notifyUndoable(`${name} ${isEnabled ? 'enabled' : 'disabled'}`, await toggle.mutateAsync(isEnabled));
  const set = (isEnabled: boolean): void => {
    send(isEnabled).catch(notifyError);
  };
  const disable = (): void => {
    if (type !== 'sync') return set(false);
    confirm.ask({
      title: `Disable ${name}?`,
      text: 'It stops for every connection. Its syncs, settings and records are kept and continue when it is enabled again.',
      action: 'Disable sync',
      isHarmless: true,
      run: () => send(false),
    });
  };
  return (
    <>
      <Menu.Dropdown>
        {row.version !== null && (
          <Menu.Item onClick={() => openPlayground({ kind: PLAYGROUND_KINDS[type], integrationKey, name })}>
            Open in playground
          </Menu.Item>
        )}
        <Menu.Item component={Link} to={paths.logs(env, { integrations: integrationKey, syncs: name })}>
          Open logs
        </Menu.Item>
        <Menu.Divider />
        {row.isEnabled ? (
          <Menu.Item onClick={disable}>Disable</Menu.Item>
        ) : (
          <Menu.Item onClick={() => set(true)}>Enable</Menu.Item>
        )}
        <Menu.Divider />
        {children}
      </Menu.Dropdown>
      {confirm.dialog}
    </>
  );
}
