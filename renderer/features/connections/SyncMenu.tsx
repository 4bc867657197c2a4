import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';

import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import { SAYS_DONE, useSyncActions } from '../../api/connections/use-sync-actions.ts';
import type { SyncCommand, SyncListItem } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';

interface SyncMenuProps {
  row: SyncListItem;
  connection: ConnectionRef;
}

export function SyncMenu({ row, connection, isActive }: SyncMenuProps & { isActive: boolean }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={`Actions of ${row.name}`} tabIndex={isActive ? 0 : -1}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <SyncActions row={row} connection={connection} />
    </Menu>
  );
}

/** The content of the menu, and the question before something is deleted; `children` are further items. */
export function SyncActions({ row, connection, children }: SyncMenuProps & { children?: ReactNode }) {
  const env = useEnv();
  const navigate = useNavigate();
  const actions = useSyncActions();
  const asked = useSyncActions({ ...SAYS_DONE, ownError: true });
  const confirm = useConfirm();
  const records = Object.values(row.recordCount).reduce((total, count) => total + count, 0);
  const ref = { ...connection, sync: row.name, variant: row.variant };
  const order = (command: SyncCommand): void => actions.mutate({ ...ref, command });
  const askEmpty = (): void =>
    confirm.ask({
      title: `Empty the cache of ${row.name}?`,
      text: `${formatCount(records, 'stored record is', 'stored records are')} deleted, then the sync fetches everything again.`,
      action: 'Empty cache and run',
      run: () => asked.mutateAsync({ ...ref, command: 'RUN_FULL', deleteRecords: true }),
    });
  const isPaused = row.scheduleStatus === 'PAUSED';
  const hasSchedule = row.scheduleStatus !== 'STOPPED';
  const isRunning = row.status === 'RUNNING';
  return (
    <>
      <Menu.Dropdown>
        {isRunning ? (
          <Menu.Item onClick={() => order('CANCEL')}>Cancel run</Menu.Item>
        ) : (
          <Menu.Item onClick={() => order('RUN')}>Run now</Menu.Item>
        )}
        {!isRunning && <Menu.Item onClick={() => order('RUN_FULL')}>Run from the beginning</Menu.Item>}
        {hasSchedule && (
          <Menu.Item onClick={() => order(isPaused ? 'UNPAUSE' : 'PAUSE')}>
            {isPaused ? 'Resume schedule' : 'Pause schedule'}
          </Menu.Item>
        )}
        {row.lastRun && (
          <Menu.Item onClick={() => row.lastRun && void navigate(paths.operation(env, row.lastRun.operationId))}>
            Open log
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item data-tone="bad" onClick={askEmpty}>
          Empty cache and run
        </Menu.Item>
        {children && <Menu.Divider />}
        {children}
      </Menu.Dropdown>
      {confirm.dialog}
    </>
  );
}
