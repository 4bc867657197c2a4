import { Group, Skeleton } from '@mantine/core';
import { useDelayed } from '../time/use-delayed.ts';

/** The outline of a detail page while it is fetched: nothing for 150 ms, a sentence after three seconds. */
export function PageSkeleton() {
  const isLate = useDelayed(true, 150);
  const isVeryLate = useDelayed(true, 3000);
  if (!isLate) return null;
  return (
    <div style={{ padding: '12px var(--hp-gutter)', overflow: 'hidden' }} aria-busy="true">
      <Group gap={16} wrap="nowrap" pb={24}>
        <Skeleton width={40} height={40} radius={8} />
        <div>
          <Skeleton width={240} height={20} radius={4} />
          <Skeleton width={140} height={12} radius={4} mt={8} />
        </div>
      </Group>
      <Skeleton width={320} height={16} radius={4} mb={24} />
      {[90, 70, 80, 60, 75].map((percent) => (
        <Skeleton key={percent} width={`${percent}%`} height={16} radius={4} mb={16} />
      ))}
      <p className="faint" role="status">
        {isVeryLate ? 'Waiting for the server of Homeport.' : ''}
      </p>
    </div>
  );
}
