import { usePage } from '../../components/page-context.ts';
import { useUrlState } from '../../components/use-url-state.ts';
import { IncomingList } from './IncomingList.tsx';
import { OutgoingList } from './OutgoingList.tsx';
import { directionOf } from './WebhooksHead.tsx';

/** What providers sent to the hub, and what the hub sent to the user's app. */
export function WebhooksPage() {
  usePage([{ label: 'Webhooks' }]);
  return <WebhookLists />;
}

/** With an integration those of its own, as one of its tabs. */
export function WebhookLists({ integrationKey }: { integrationKey?: string }) {
  const url = useUrlState();
  const List = directionOf(url) === 'incoming' ? IncomingList : OutgoingList;
  return <List integrationKey={integrationKey} />;
}
