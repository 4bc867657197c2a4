import { ActionIcon, Button, Checkbox, SegmentedControl } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconPin, IconPinFilled } from '@tabler/icons-react';
import type { Density } from '../../lib/preferences.ts';
import classes from './ColumnsMenu.module.css';
import type { ColumnLayout } from './use-column-layout.ts';

const DENSITY_OPTIONS = [
  { value: 'compact', label: 'Compact' },
  { value: 'normal', label: 'Normal' },
  { value: 'comfortable', label: 'Roomy' },
];

interface ColumnsChoiceProps<Row> {
  layout: ColumnLayout<Row>;
  /** Row height before a person chooses one; absent for rows that allow no other height. */
  usual: Density | undefined;
  grouping: ChosenGrouping | undefined;
}

export interface ChosenGrouping {
  by: string | undefined;
  setBy: (by: 'integration' | 'status' | undefined) => void;
}

const NO_GROUPS = 'none';
const GROUP_OPTIONS = [
  { value: NO_GROUPS, label: 'No groups' },
  { value: 'integration', label: 'Integration' },
  { value: 'status', label: 'Status' },
];

/** Keyboard access to everything the pointer can do in the head of a table. */
export function ColumnsChoice<Row>({ layout, usual, grouping }: ColumnsChoiceProps<Row>) {
  const shown = layout.all.filter((column) => column.isVisible);
  // An arrow that has moved its column to the end keeps the focus, which a disabled button would lose.
  const arrow = (id: string, by: 1 | -1) => {
    const isAtEnd = shown.at(by === 1 ? -1 : 0)?.id === id;
    return {
      ...(isAtEnd && { 'aria-disabled': true, 'data-disabled': true }),
      onClick: () => {
        if (!isAtEnd) layout.move(id, by);
      },
    };
  };
  return (
    <>
      {usual && (
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label="Row height"
          data={DENSITY_OPTIONS}
          value={layout.density ?? usual}
          onChange={(next) => layout.setDensity(next as Density)}
        />
      )}
      {grouping && (
        <SegmentedControl
          fullWidth
          size="xs"
          mt={8}
          aria-label="Group by"
          data={GROUP_OPTIONS}
          value={grouping.by ?? NO_GROUPS}
          onChange={(next) => grouping.setBy(next === NO_GROUPS ? undefined : (next as 'integration' | 'status'))}
        />
      )}
      <ul className={classes['columns']} style={{ margin: '8px -4px 4px' }} aria-label="Columns">
        {layout.all.map((column) => (
          <li className="row gap-0" key={column.id}>
            <Checkbox
              size="xs"
              radius="xs"
              miw={0}
              flex={1}
              label={column.header || column.id}
              checked={column.isVisible}
              disabled={!column.canHide}
              onChange={() => layout.toggle(column.id)}
            />
            <ActionIcon
              size={24}
              aria-label={`Pin ${column.header}`}
              aria-pressed={column.isPinned ?? false}
              onClick={() => layout.togglePin(column.id)}
            >
              {column.isPinned ? <IconPinFilled size={14} /> : <IconPin size={14} stroke={1.6} />}
            </ActionIcon>
            <ActionIcon
              size={24}
              aria-label={`Move ${column.header} to the left`}
              disabled={!column.isVisible}
              {...arrow(column.id, -1)}
            >
              <IconChevronUp size={14} stroke={1.6} />
            </ActionIcon>
            <ActionIcon
              size={24}
              aria-label={`Move ${column.header} to the right`}
              disabled={!column.isVisible}
              {...arrow(column.id, 1)}
            >
              <IconChevronDown size={14} stroke={1.6} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {layout.isChanged && (
        <Button size="xs" variant="subtle" onClick={layout.reset}>
          Reset columns
        </Button>
      )}
    </>
  );
}
