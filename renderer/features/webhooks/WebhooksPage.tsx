import { Tabs } from '@mantine/core';
import { usePage } from '../../components/page-context.ts';
import { useUrlState } from '../../components/use-url-state.ts';
import { IncomingList } from './IncomingList.tsx';
import { OutgoingList } from './OutgoingList.tsx';
import classes from './WebhooksPage.module.css';

type Direction = 'incoming' | 'outgoing';

/** What belongs to one direction; the other one begins without it. */
const OWN_STATE = ['search', 'states', 'types', 'outcomes', 'integrations', 'connections', 'sort', 'webhook'];

/** What providers sent to the hub, and what the hub sent to the user's app. */
export function WebhooksPage() {
  const url = useUrlState();
  usePage([{ label: 'Webhooks' }]);
  const direction: Direction = url.get('direction') === 'outgoing' ? 'outgoing' : 'incoming';
  const turn = (next: Direction): void =>
    url.set({ ...Object.fromEntries(OWN_STATE.map((name) => [name, ''])), direction: next });
  const tabs = <DirectionTabs value={direction} onChange={turn} />;
  return direction === 'incoming' ? <IncomingList tabs={tabs} /> : <OutgoingList tabs={tabs} />;
}

function DirectionTabs({ value, onChange }: { value: Direction; onChange: (direction: Direction) => void }) {
  return (
    <Tabs
      className={classes['tabs'] ?? ''}
      value={value}
      onChange={(next) => next !== value && onChange(next as Direction)}
    >
      <Tabs.List>
        <Tabs.Tab value="incoming">Incoming</Tabs.Tab>
        <Tabs.Tab value="outgoing">Outgoing</Tabs.Tab>
      </Tabs.List>
    </Tabs>
  );
}
