import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ConnectionListItem } from '../../api/contract.ts';
import { useLoadedContent } from '../../components/use-loaded-content.ts';

const loadActions = () => import('./ConnectionRowActions.tsx');

/** The menu of a connection in the list. Its content is loaded when it opens. */
export function ConnectionRowMenu({ row, isActive }: { row: ConnectionListItem; isActive: boolean }) {
  const { content, isOpen, setOpen } = useLoadedContent(loadActions);
  return (
    <Menu position="bottom-end" opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions of ${row.displayName ?? row.connectionId}`} tabIndex={isActive ? 0 : -1}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      {content && <content.ConnectionRowActions row={row} />}
    </Menu>
  );
}
