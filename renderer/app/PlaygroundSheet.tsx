import { lazy, Suspense } from 'react';
import { matchPath } from 'react-router';
import { PartLoading } from '../components/page/PartLoading.tsx';
import { PANELS } from '../components/page/panel-width.ts';
import { SidePanel } from '../components/page/SidePanel.tsx';
import type { PlaygroundTarget } from '../components/shell-context.ts';
import { Sheet } from './Sheet.tsx';

const Playground = lazy(async () => ({ default: (await import('../features/playground/Playground.tsx')).Playground }));

interface PlaygroundSheetProps {
  target: PlaygroundTarget;
  /** What had the focus before. A menu, for example, is gone when the sheet appears. */
  opener: HTMLElement | null;
  onClose: () => void;
}

/** The playground beside any screen. It stays open while the person changes screens. */
export function PlaygroundSheet({ target, opener, onClose }: PlaygroundSheetProps) {
  return (
    <Sheet opener={opener}>
      <SidePanel width={PANELS.playground} label="Playground" title="Playground" onClose={onClose}>
        <div style={{ padding: 16 }}>
          <Suspense fallback={<PartLoading />}>
            <Playground target={target} />
          </Suspense>
        </div>
      </SidePanel>
    </Sheet>
  );
}

/** The object that the screen of an address shows, if the playground can run it. */
export function targetOfScreen(pathname: string, query: URLSearchParams): PlaygroundTarget {
  const records = matchPath('/:env/connections/:integrationKey/:connectionId/records/:model', pathname)?.params;
  if (records?.integrationKey && records.connectionId && records.model) {
    const { integrationKey, connectionId, model } = records;
    return { kind: 'records', integrationKey, connectionId, model, variant: query.get('variant') ?? 'base' };
  }
  const connection = matchPath('/:env/connections/:integrationKey/:connectionId/*', pathname)?.params;
  if (connection?.integrationKey && connection.connectionId)
    return { integrationKey: connection.integrationKey, connectionId: connection.connectionId };
  const shown = matchPath('/:env/integrations/:integrationKey/functions/:name', pathname)?.params;
  const type = query.get('type');
  if (shown?.integrationKey && shown.name && (type === 'action' || type === 'sync' || type === 'on-event'))
    return { kind: type === 'on-event' ? 'event' : type, integrationKey: shown.integrationKey, name: shown.name };
  const webhookId = query.get('webhook');
  const isIncoming = (query.get('direction') ?? 'incoming') === 'incoming';
  if (matchPath('/:env/webhooks', pathname) && webhookId && isIncoming) return { kind: 'webhook', webhookId };
  return {};
}
