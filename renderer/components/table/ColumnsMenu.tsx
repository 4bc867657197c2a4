import { ActionIcon, Checkbox, Menu, Tooltip } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import type { ColumnChoice } from './use-columns.ts';

export function ColumnsMenu<Row>({ choice }: { choice: ColumnChoice<Row> }) {
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <Tooltip label="Columns">
          <ActionIcon aria-label="Columns">
            <IconColumns3 size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Columns</Menu.Label>
        {choice.all.slice(1).map((column) => (
          <Menu.Item
            key={column.id}
            role="menuitemcheckbox"
            aria-checked={choice.isVisible(column.id)}
            leftSection={<Checkbox.Indicator size="xs" radius="xs" checked={choice.isVisible(column.id)} />}
            onClick={() => choice.toggle(column.id)}
          >
            {column.header}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
