import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Section.module.css';

/** A titled block of a page, with its actions beside the title. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes['section']}>
      <Group gap={8} justify="space-between" pb={4} mih={28}>
        <h2>{title}</h2>
        {aside}
      </Group>
      {children}
    </section>
  );
}
