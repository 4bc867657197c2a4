import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { settingsQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { focusIfLost } from '../../components/focus-if-lost.ts';
import { useHeld } from '../../components/form/unsaved-context.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { panelPage } from '../../components/page/panel-page.ts';
import { PANELS } from '../../components/page/panel-width.ts';
import { SidePanel } from '../../components/page/SidePanel.tsx';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { ApiError } from '../../lib/api-error.ts';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import classes from './WebhookPanel.module.css';

export interface WebhookPanelProps {
  webhookId: string;
  onClose: () => void;
  onStep: (step: 1 | -1) => void;
  /** Shows the new one. */
  onReplayed: (webhookId: string) => void;
}

interface FrameProps<Webhook> extends Omit<WebhookPanelProps, 'onReplayed'> {
  direction: 'incoming' | 'outgoing';
  query: UseQueryResult<Webhook, Error>;
  title: (webhook: Webhook) => ReactNode;
  actions: (webhook: Webhook) => ReactNode;
  children: (webhook: Webhook) => ReactNode;
}

/** The common part of the panels for both directions, including the message for a webhook that is no longer stored. */
export function WebhookPanel<Webhook>(props: FrameProps<Webhook>) {
  const { direction, webhookId, query, onClose, onStep, title, actions, children } = props;
  const { data, error, refetch } = query;
  const held = useHeld(data);
  const url = useUrlState();
  const foot = useRef<HTMLDivElement>(null);
  const shown = useRef(webhookId);
  const isRead = data !== undefined;
  useEffect(() => {
    if (!isRead || shown.current === webhookId) return;
    shown.current = webhookId;
    // The buttons of the webhook that was replayed went away while the new one was read.
    focusIfLost(foot.current?.querySelector('button'));
  }, [isRead, webhookId]);
  const isGone = error instanceof ApiError && error.status === 404;
  const env = useEnv();
  const days = useQuery({ ...settingsQueryOptions(env), enabled: isGone }).data?.retention.webhooks_days;
  return (
    <SidePanel
      width={PANELS[direction]}
      label={`Webhook ${webhookId}`}
      title={data && title(data)}
      onClose={onClose}
      onStep={onStep}
      page={panelPage(url)}
      footer={
        held && (
          // Stays mounted for the text of its dialogs.
          <div ref={foot} className="row wrap grow" style={data ? undefined : { display: 'none' }}>
            {actions(held)}
          </div>
        )
      }
    >
      {isGone && (
        <EmptyState
          title="This webhook was deleted"
          text={
            <>
              {days === null
                ? 'Webhooks are kept without a limit now.'
                : `Webhooks are deleted after ${days === undefined ? 'a limited time' : formatCount(days, 'day')}.`}{' '}
              The time is in the <Link to={paths.settings(env, 'retention')}>environment settings</Link>.
            </>
          }
        />
      )}
      {error && !isGone && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data && (
        <div key={webhookId} className={classes['body']} style={{ padding: '12px 20px 24px' }}>
          {children(data)}
        </div>
      )}
    </SidePanel>
  );
}
