import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './EmptyState.module.css';

/** Says what the list holds and what fills it, with one button. */
export function EmptyState({ title, text, children }: { title: string; text?: ReactNode; children?: ReactNode }) {
  return (
    <div
      className={`stack gap-4 at-top ${classes['state']}`}
      style={{ maxWidth: 520, padding: '32px var(--hp-gutter)' }}
    >
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      {children && (
        <Group gap={8} align="stretch" pt={12}>
          {children}
        </Group>
      )}
    </div>
  );
}
