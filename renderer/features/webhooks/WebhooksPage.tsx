import { Tabs } from '@mantine/core';
import { usePage } from '../../components/page-context.ts';
import { useUrlState } from '../../components/use-url-state.ts';
import { OutgoingList } from './OutgoingList.tsx';
import classes from './WebhooksPage.module.css';

export type Direction = 'incoming' | 'outgoing';

/** What providers sent to the hub, and what the hub sent to the user's app. */
export function WebhooksPage() {
  const url = useUrlState();
  usePage([{ label: 'Webhooks' }]);
  return <OutgoingList tabs={<DirectionTabs value="outgoing" onChange={(direction) => url.set({ direction })} />} />;
}

function DirectionTabs({ value, onChange }: { value: Direction; onChange: (direction: Direction) => void }) {
  return (
    <Tabs className={classes['tabs'] ?? ''} value={value} onChange={(next) => next && onChange(next as Direction)}>
      <Tabs.List>
        <Tabs.Tab value="incoming">Incoming</Tabs.Tab>
        <Tabs.Tab value="outgoing">Outgoing</Tabs.Tab>
      </Tabs.List>
    </Tabs>
  );
}
