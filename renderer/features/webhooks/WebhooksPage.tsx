import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { IncomingList } from './IncomingList.tsx';
import { OutgoingList } from './OutgoingList.tsx';
import { directionOf } from './WebhooksHead.tsx';

/** Webhooks from providers to the hub, and from the hub to the user's app. */
export function WebhooksPage() {
  usePage([{ label: 'Webhooks' }]);
  return <WebhookLists />;
}

/** With an integration, the webhooks of that integration as one of its tabs. */
export function WebhookLists({ integrationKey }: { integrationKey?: string }) {
  const url = useUrlState();
  const List = directionOf(url) === 'incoming' ? IncomingList : OutgoingList;
  return <List integrationKey={integrationKey} />;
}
