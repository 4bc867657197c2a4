import { Kbd, Menu } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { KEY_MAP, type KeyMeaning } from '../../lib/key-map.ts';
import { keyNames } from '../../lib/key-names.ts';
import { copyText } from '../copy-text.ts';
import type { Column } from './columns.ts';
import type { RowActions } from './row-actions.ts';
import type { DataTableProps } from './table-props.ts';

export interface RowMenuProps<Row> {
  table: DataTableProps<Row>;
  actions: RowActions;
  index: number;
  row: Row;
  /** The column under the pointer, or that of the keyboard. */
  column: Column<Row> | undefined;
  /** Where in the window it opens. */
  at: { x: number; y: number };
  onPeek: () => void;
  onClosed: () => void;
}

/** The menu of a row at the pointer: the row's own actions, then those of every list, with their keys. */
export function RowMenu<Row>({ table, actions, index, row, column, at, onPeek, onClosed }: RowMenuProps<Row>) {
  // It opens in a second step: its place is measured when it opens.
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(true), []);
  const { rowHref, rowId, selection, onOpen, onOpenPage, onFilter, onExclude } = table;
  const value = column?.filter?.(row);
  const isSelected = selection?.value.rows.has(table.rowKey(row));
  const items = (
    <>
      {onOpen && <Item of={KEY_MAP.open} label="Open" onClick={() => actions.open(index, false)} />}
      {onOpenPage && <Item of={KEY_MAP.openPage} label="Open as a page" onClick={() => onOpenPage(row)} />}
      {rowHref && (
        <Item of={KEY_MAP.openWindow} label="Open in a new window" onClick={() => actions.open(index, true)} />
      )}
      <Item of={KEY_MAP.peek} label="Preview" onClick={onPeek} />
      {selection && (
        <Item
          of={{ ...KEY_MAP.select, keys: [onExclude ? 'shift+space' : 'x'] }}
          label={isSelected ? 'Deselect' : 'Select'}
          onClick={() => actions.select(index, 'toggle')}
        />
      )}
      {(rowId || rowHref) && <Menu.Divider />}
      {rowId && <Item of={KEY_MAP.copyId} label="Copy ID" onClick={() => void copyText(rowId(row), 'ID copied')} />}
      {rowHref && (
        <Item
          of={KEY_MAP.copyLink}
          label="Copy link"
          onClick={() => void copyText(new URL(rowHref(row), location.href).href, 'Link copied')}
        />
      )}
      {value && onFilter && (
        <>
          <Menu.Divider />
          <Item of={KEY_MAP.filter} label={`Only this ${column?.header}`} onClick={() => onFilter(...value)} />
          {onExclude && (
            <Item of={KEY_MAP.exclude} label={`Without this ${column?.header}`} onClick={() => onExclude(...value)} />
          )}
        </>
      )}
    </>
  );
  return (
    <Menu
      opened={isOpen}
      position="bottom-start"
      offset={0}
      returnFocus={false}
      onClose={() => {
        setOpen(false);
        onClosed();
      }}
    >
      <Menu.Target>
        <span style={{ position: 'fixed', top: at.y, left: at.x }} />
      </Menu.Target>
      {table.rowMenu ? table.rowMenu(row, items) : <Menu.Dropdown>{items}</Menu.Dropdown>}
    </Menu>
  );
}

function Item({ of, label, onClick }: { of: KeyMeaning; label: string; onClick: () => void }): ReactNode {
  const key = of.keys[0];
  return (
    <Menu.Item onClick={onClick} rightSection={key && <Kbd>{keyNames(key).join(' ')}</Kbd>}>
      {label}
    </Menu.Item>
  );
}
