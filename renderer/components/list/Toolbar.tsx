import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './Toolbar.module.css';

/** The row of search box, filters and view buttons above a table. */
export function Toolbar(props: { children: ReactNode; end?: ReactNode; isBelowTabs?: boolean }) {
  const { children, end, isBelowTabs } = props;
  return (
    <div
      className={`row wrap rigid line-below ${classes['bar']}`}
      role="search"
      data-below-tabs={isBelowTabs || undefined}
    >
      {children}
      {end && (
        <Group gap={8} wrap="nowrap" ml="auto">
          {end}
        </Group>
      )}
    </div>
  );
}

interface TabListHeadProps {
  /** The number of rows, in words. */
  count: string;
  /** The screen of the whole list with the same filters. */
  link: { to: string; label: string };
  /** Before the count: the control that chooses the list. */
  start?: ReactNode;
  /** Controls on the right. */
  children?: ReactNode;
}

/** The header of a list's screen, for the same list on a tab of another screen. */
export function TabListHead({ count, link, start, children }: TabListHeadProps) {
  return (
    <Group gap={8} justify="flex-end" py={10} px="var(--hp-gutter)" flex="none">
      {start}
      {/* The width is kept for it, so that nothing wraps when it arrives. */}
      <span className="soft small" style={{ flex: '1 0 104px' }}>
        {count}
      </span>
      {children}
      <Button variant="subtle" component={Link} to={link.to}>
        {link.label}
      </Button>
    </Group>
  );
}
