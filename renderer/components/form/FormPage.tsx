import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './FormPage.module.css';

/** A form on the left, its explanation on the right. */
export function FormPage({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <Group gap="24px 48px" align="stretch" px="var(--hp-gutter)" pt={8} pb={32}>
      <div className={`stack gap-16 ${classes['form']}`} style={{ flex: '1 1 320px', maxWidth: 480 }}>
        {children}
      </div>
      {aside && <aside style={{ flex: '0 1 360px', minWidth: 240 }}>{aside}</aside>}
    </Group>
  );
}
