import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconDownload, IconPlayerPlay, IconRepeat } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { WebhookDetail } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { useRepeatWebhook } from '../../api/webhooks/webhooks-mutations.ts';
import { incomingWebhookQueryOptions } from '../../api/webhooks/webhooks-queries.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { firstClick } from '../../components/form/first-click.ts';
import { useOperationLink } from '../../components/function/use-operation-link.ts';
import { BodyView } from '../../components/json/BodyView.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useShell } from '../../components/shell-context.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { formatBytes } from '../../lib/format-number.ts';
import { formatDuration, formatFull } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { saveFile } from '../../lib/save-file.ts';
import { DELIVERY_LOOK, INCOMING_LOOK, lookOf, WEBHOOK_RUN_LOOK } from '../../lib/status.ts';
import { CopyCurl } from './CopyCurl.tsx';
import { EditReplay } from './EditReplay.tsx';
import { HeaderList } from './HeaderList.tsx';
import { incomingSentence, signatureSentence } from './incoming-sentence.ts';
import classes from './WebhookPanel.module.css';
import { WebhookPanel, type WebhookPanelProps } from './WebhookPanel.tsx';

export function IncomingPanel({ onReplayed, ...panel }: WebhookPanelProps) {
  const env = useEnv();
  return (
    <WebhookPanel
      {...panel}
      direction="incoming"
      query={useQuery(incomingWebhookQueryOptions(env, panel.webhookId))}
      title={(webhook) => <Title webhook={webhook} />}
      actions={(webhook) => <Actions webhook={webhook} onReplayed={onReplayed} />}
    >
      {(webhook) => (
        <>
          <p className="name breaks pb-8" style={{ fontSize: 14 }}>
            {incomingSentence(webhook)}
          </p>
          {webhook.outcome !== 'refused' && webhook.outcome !== 'error' && webhook.message && (
            <p className="soft">{webhook.message}</p>
          )}
          <Facts webhook={webhook} />
          <HandlerRuns webhook={webhook} />
          <h2>Body</h2>
          <Body webhook={webhook} />
          <h2>Headers</h2>
          <HeaderList headers={webhook.headers} />
        </>
      )}
    </WebhookPanel>
  );
}

function Title({ webhook }: { webhook: WebhookDetail }) {
  return (
    <>
      <ProviderLogo provider={webhook.provider} name={webhook.integrationKey} size={20} />
      <span className="mono cut" style={{ fontSize: 14 }}>
        {webhook.eventTypes[0] ?? webhook.integrationKey}
      </span>
      {webhook.replayOf && <Tag>Replay</Tag>}
      <StatusBadge look={lookOf(INCOMING_LOOK, webhook.outcome)} soft />
    </>
  );
}

function Facts({ webhook }: { webhook: WebhookDetail }) {
  const env = useEnv();
  const operationLink = useOperationLink();
  const { integrationKey, connectionIds, replayOf, operationId, query } = webhook;
  return (
    <FactList wide>
      <Fact label="Signature">{signatureSentence(webhook)}</Fact>
      <Fact label="Integration">
        <Link to={paths.integration(env, integrationKey)}>{integrationKey}</Link>
      </Fact>
      <Fact label="Connections">
        {connectionIds.length === 0 && <span className="soft">No connection matches</span>}
        {connectionIds.map((connectionId) => (
          <Link key={connectionId} to={paths.connection(env, { integrationKey, connectionId })}>
            {connectionId}
          </Link>
        ))}
      </Fact>
      {webhook.eventTypes.length > 1 && <Fact label="Events">{webhook.eventTypes.join(', ')}</Fact>}
      <Fact label="Request">
        <code>{`${webhook.method} ${webhook.path}${query ? `?${query}` : ''}`}</code>
      </Fact>
      <Fact label="Response">{`${webhook.status} after ${formatDuration(webhook.durationMs)}`}</Fact>
      <Fact label="Received">{formatFull(webhook.receivedAt)}</Fact>
      {webhook.expiresAt && <Fact label="Kept until">{formatFull(webhook.expiresAt)}</Fact>}
      {replayOf && (
        <Fact label="Replay of">
          <Link to={paths.webhook(env, 'incoming', replayOf)}>
            <code>{replayOf}</code>
          </Link>
        </Fact>
      )}
      {webhook.forwards > 0 && (
        <Fact label="Forwarded">
          <Link to={paths.forwards(env, integrationKey)}>{`${webhook.forwards} to your app`}</Link>
          {webhook.forwardState && <StatusBadge look={lookOf(DELIVERY_LOOK, webhook.forwardState)} />}
        </Fact>
      )}
      {operationId && (
        <Fact label="Log">
          <Link to={operationLink(operationId)}>Open the operation</Link>
        </Fact>
      )}
    </FactList>
  );
}

function Body({ webhook }: { webhook: WebhookDetail }) {
  const { body, sizeBytes } = webhook;
  if (!body) return <p className="faint">{`Its ${formatBytes(sizeBytes)} are no longer kept.`}</p>;
  return (
    <>
      {body.encoding === 'base64' && (
        <p className="faint">{`${formatBytes(sizeBytes)} that are not text, as base64:`}</p>
      )}
      <BodyView text={body.text} label="body" />
    </>
  );
}

function Actions({ webhook, onReplayed }: { webhook: WebhookDetail; onReplayed: (id: string) => void }) {
  const repeat = useRepeatWebhook(webhook.id);
  const edited = useRepeatWebhook(webhook.id, OWN_ERROR);
  const { data: meta } = useQuery(metaQueryOptions());
  const { openPlayground } = useShell();
  const [isEditing, setEditing] = useState(false);
  const [connectionId] = webhook.connectionIds;
  const shown = ({ id }: { id: string }): void => {
    setEditing(false);
    notifyDone('Replayed');
    onReplayed(id);
  };
  const url = `${meta?.apiUrl ?? ''}${webhook.path}${webhook.query ? `?${webhook.query}` : ''}`;
  return (
    <>
      <Button
        leftSection={<IconRepeat size={16} stroke={1.6} />}
        loading={repeat.isPending && !isEditing}
        disabled={webhook.body === null}
        onClick={firstClick(() => repeat.mutate({}, { onSuccess: shown }))}
      >
        Replay
      </Button>
      <Button variant="default" onClick={() => setEditing(true)}>
        Edit and replay
      </Button>
      {connectionId !== undefined && webhook.body !== null && (
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} stroke={1.6} aria-hidden />}
          onClick={() =>
            openPlayground({
              kind: 'webhook',
              integrationKey: webhook.integrationKey,
              connectionId,
              webhookId: webhook.id,
            })
          }
        >
          Run handler
        </Button>
      )}
      {webhook.body?.encoding === 'utf8' && (
        <CopyCurl webhook={{ url, headers: ownHeaders(webhook.headers), body: webhook.body.text }} />
      )}
      <Tooltip label="Save as file">
        <ActionIcon
          size={32}
          aria-label="Save as file"
          onClick={() => saveFile(`webhook-${webhook.id}.json`, fileOf(webhook))}
        >
          <IconDownload size={16} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {isEditing && <EditReplay webhook={webhook} repeat={edited} onClose={() => setEditing(false)} onDone={shown} />}
    </>
  );
}

/** The original request, to send or read elsewhere. */
function fileOf({ method, path, query, headers, body }: WebhookDetail): Blob {
  return new Blob([`${JSON.stringify({ method, path, query, headers, body }, null, 2)}\n`], {
    type: 'application/json',
  });
}

/** Headers of the provider; the others belong to its connection to the hub. */
const HOP_HEADERS: readonly string[] = ['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding'];

const ownHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)));

/** Runs of `onWebhook` that it caused, each with its log. */
function HandlerRuns({ webhook: { runs } }: { webhook: WebhookDetail }) {
  const operationLink = useOperationLink();
  return (
    <>
      <h2>Handler runs</h2>
      {runs.length === 0 && <p className="faint">None: no sync subscribes to this event of a connection.</p>}
      <ul className={classes['runs']}>
        {runs.map((run) => (
          <li className="grid gap-12 line-below middle" key={run.id}>
            <code className="cut">{run.functionName}</code>
            <code className="soft cut">{run.connectionId}</code>
            <StatusBadge look={lookOf(WEBHOOK_RUN_LOOK, run.state)} />
            {run.operationId ? <Link to={operationLink(run.operationId)}>Log</Link> : <span />}
          </li>
        ))}
      </ul>
    </>
  );
}
