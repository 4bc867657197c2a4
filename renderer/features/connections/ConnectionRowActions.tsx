import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useConnectionBulk } from '../../api/connections/connections-mutations.ts';
import type { ConnectionListItem } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { notifyError } from '../../components/notice/notify.ts';
import { notifyUndoable } from '../../components/notice/notify-undoable.ts';
import { useShell } from '../../components/shell-context.ts';
import { paths } from '../../lib/paths.ts';
import { useConnectionDeletion } from './use-connection-deletion.tsx';

const DONE = { run: 'Syncs started', pause: 'Syncs paused', resume: 'Syncs resumed', refresh: 'Token refreshed' };

/** The content of the menu of a connection in the list, and the question before it is deleted. */
export function ConnectionRowActions({ row, children }: { row: ConnectionListItem; children?: ReactNode }) {
  const env = useEnv();
  const { openPlayground } = useShell();
  const bulk = useConnectionBulk();
  const deletion = useConnectionDeletion(row, { from: 'list' });
  const { integrationKey, connectionId } = row;
  const send = (command: keyof typeof DONE): void =>
    bulk.mutate(
      { command, targets: [row] },
      {
        onSuccess: ({ problems: [problem], takeBack }) =>
          problem ? notifyError(problem) : notifyUndoable(DONE[command], takeBack),
      },
    );
  return (
    <>
      <Menu.Dropdown>
        <Menu.Item onClick={() => openPlayground({ integrationKey, connectionId })}>Open in playground</Menu.Item>
        <Menu.Item component={Link} to={paths.logs(env, { integrations: integrationKey, connections: connectionId })}>
          Open logs
        </Menu.Item>
        <Menu.Divider />
        {row.syncCount > 0 && <Menu.Item onClick={() => send('run')}>Run syncs</Menu.Item>}
        {row.pausedSyncCount < row.syncCount && <Menu.Item onClick={() => send('pause')}>Pause syncs</Menu.Item>}
        {row.pausedSyncCount > 0 && <Menu.Item onClick={() => send('resume')}>Resume syncs</Menu.Item>}
        {row.isRefreshable && <Menu.Item onClick={() => send('refresh')}>Refresh the token</Menu.Item>}
        <Menu.Item data-tone="bad" onClick={deletion.ask}>
          Delete connection…
        </Menu.Item>
        {children && <Menu.Divider />}
        {children}
      </Menu.Dropdown>
      {deletion.dialog}
    </>
  );
}
