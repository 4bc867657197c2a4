import { Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** A titled block of a page, with its actions beside the title. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section style={{ maxWidth: 720, paddingBottom: 24 }}>
      <Group gap={8} justify="space-between" pb={4} mih={28}>
        <h2>{title}</h2>
        {aside}
      </Group>
      {children}
    </section>
  );
}
