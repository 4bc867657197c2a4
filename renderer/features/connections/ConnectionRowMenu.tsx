import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { ConnectionListItem } from '../../api/contract.ts';

const loadActions = () => import('./ConnectionRowActions.tsx');

/** The menu of a connection in the list. Its content is loaded when it opens. */
export function ConnectionRowMenu({ row, isActive }: { row: ConnectionListItem; isActive: boolean }) {
  const [content, setContent] = useState<Awaited<ReturnType<typeof loadActions>>>();
  const [isOpen, setOpen] = useState(false);
  const open = async (): Promise<void> => {
    const actions = await loadActions();
    // The menu notes where the focus was only if its content was there before it opens.
    flushSync(() => setContent(actions));
    setOpen(true);
  };
  return (
    <Menu position="bottom-end" opened={isOpen} onChange={(next) => (next ? void open() : setOpen(false))}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions of ${row.displayName ?? row.connectionId}`} tabIndex={isActive ? 0 : -1}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      {content && <content.ConnectionRowActions row={row} />}
    </Menu>
  );
}
