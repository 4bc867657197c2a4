import { ActionIcon, Popover, Tooltip } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { useState } from 'react';
import { DENSITY_HEIGHTS, type Density } from '../../lib/preferences.ts';
import type { ChosenGrouping } from './ColumnsChoice.tsx';
import type { ColumnLayout } from './use-column-layout.ts';

const loadChoice = () => import('./ColumnsChoice.tsx');

/** Columns, their order and the row height. The content is loaded when the menu opens. */
export function ColumnsMenu<Row>({
  layout,
  rowHeight,
  grouping,
}: {
  layout: ColumnLayout<Row>;
  rowHeight: number;
  grouping?: ChosenGrouping | undefined;
}) {
  // Rows of two lines have a fixed height.
  const usual = (Object.keys(DENSITY_HEIGHTS) as Density[]).find((one) => DENSITY_HEIGHTS[one] === rowHeight);
  const label = usual ? `Columns${grouping ? ', groups' : ''} and row height` : 'Columns';
  const [choice, setChoice] = useState<Awaited<ReturnType<typeof loadChoice>>>();
  const [isOpen, setOpen] = useState(false);
  const open = async (): Promise<void> => {
    setChoice(await loadChoice());
    setOpen(true);
  };
  return (
    <Popover position="bottom-end" width={272} trapFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Tooltip label={label}>
          <ActionIcon aria-label="Columns" size={28} onClick={() => (isOpen ? setOpen(false) : void open())}>
            <IconColumns3 size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        {choice && <choice.ColumnsChoice layout={layout} usual={usual} grouping={grouping} />}
      </Popover.Dropdown>
    </Popover>
  );
}
