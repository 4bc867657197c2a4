import { lazy, Suspense, useEffect, useRef } from 'react';
import { matchPath } from 'react-router';
import { SidePanel } from '../components/SidePanel.tsx';
import type { PlaygroundTarget } from '../components/shell-context.ts';
import classes from './PlaygroundSheet.module.css';

const Playground = lazy(async () => ({ default: (await import('../features/playground/Playground.tsx')).Playground }));

/** The playground beside whatever screen is open. It stays while one goes from screen to screen. */
export function PlaygroundSheet({ target, onClose }: { target: PlaygroundTarget; onClose: () => void }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    host.current?.focus();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <div ref={host} className={classes['sheet']} tabIndex={-1}>
      <SidePanel id="playground" label="Playground" title="Playground" onClose={onClose} defaultWidth={560}>
        <div className={classes['body']}>
          <Suspense>
            <Playground target={target} />
          </Suspense>
        </div>
      </SidePanel>
    </div>
  );
}

/** What the screen of an address shows, as far as it can be run. */
export function targetOfScreen(pathname: string, query: URLSearchParams): PlaygroundTarget {
  const connection = matchPath('/:env/connections/:integrationKey/:connectionId/*', pathname)?.params;
  if (connection?.integrationKey && connection.connectionId)
    return { integrationKey: connection.integrationKey, connectionId: connection.connectionId };
  const shown = matchPath('/:env/integrations/:integrationKey/functions/:name', pathname)?.params;
  const type = query.get('type');
  if (shown?.integrationKey && shown.name && (type === 'action' || type === 'sync'))
    return { kind: type, integrationKey: shown.integrationKey, name: shown.name };
  const webhookId = query.get('webhook');
  const isIncoming = (query.get('direction') ?? 'incoming') === 'incoming';
  if (matchPath('/:env/webhooks', pathname) && webhookId && isIncoming) return { kind: 'webhook', webhookId };
  return {};
}
