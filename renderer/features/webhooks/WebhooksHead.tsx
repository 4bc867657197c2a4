import { SegmentedControl, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEnv } from '../../api/use-env.ts';
import { TabListHead } from '../../components/list/Toolbar.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { CLOSED_PAGE } from '../../components/page/panel-page.ts';
import { type UrlState, useUrlState } from '../../components/page/use-url-state.ts';
import { formatCount } from '../../lib/format-number.ts';

type Direction = 'incoming' | 'outgoing';

export const directionOf = (url: UrlState): Direction =>
  url.get('direction') === 'outgoing' ? 'outgoing' : 'incoming';

const DIRECTIONS: { value: Direction; label: string }[] = [
  { value: 'incoming', label: 'Incoming' },
  { value: 'outgoing', label: 'Outgoing' },
];

/** Address parameters of one direction, which the other one does not take over. */
const OWN_STATE = ['search', 'states', 'types', 'outcomes', 'integrations', 'connections', 'sort', 'webhook', 'view'];

interface WebhooksHeadProps {
  /** Number of rows, once known. */
  total: number | undefined;
  /** Set where the list is a tab of an integration. */
  integrationKey: string | undefined;
  /** Buttons that act on the list. */
  children?: ReactNode;
}

/** The title of the screen or tab, with the choice between the two lists. */
export function WebhooksHead({ total, integrationKey, children }: WebhooksHeadProps) {
  const env = useEnv();
  const url = useUrlState();
  const direction = directionOf(url);
  const count = total === undefined ? '' : formatCount(total, 'webhook');
  const turn = (next: string | null): void => {
    if (next === null || next === direction) return;
    url.set({ ...Object.fromEntries(OWN_STATE.map((name) => [name, ''])), direction: next });
  };
  if (integrationKey !== undefined) {
    const query = url.search({ integrations: integrationKey, webhook: undefined, ...CLOSED_PAGE });
    return (
      <TabListHead
        count={count}
        link={{ to: `/${env}/webhooks${query}`, label: 'Open in Webhooks' }}
        start={
          <SegmentedControl aria-label="Direction" size="xs" data={DIRECTIONS} value={direction} onChange={turn} />
        }
      >
        {children}
      </TabListHead>
    );
  }
  return (
    <>
      <PageHeader title="Webhooks" aside={<span className="soft">{count}</span>}>
        {children}
      </PageHeader>
      <Tabs mb={10} flex="none" value={direction} onChange={turn}>
        <Tabs.List>
          {DIRECTIONS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
    </>
  );
}
