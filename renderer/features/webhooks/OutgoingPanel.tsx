import { Button } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { OutgoingWebhookDetail } from '../../api/contract.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { useReplayWebhook } from '../../api/webhooks/webhooks-mutations.ts';
import { outgoingWebhookQueryOptions } from '../../api/webhooks/webhooks-queries.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { firstClick } from '../../components/form/first-click.ts';
import { useOperationLink } from '../../components/function/use-operation-link.ts';
import { BodyView } from '../../components/json/BodyView.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { useNow } from '../../components/time/use-now.ts';
import { formatFull } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { DELIVERY_LOOK, lookOf } from '../../lib/status.ts';
import { AttemptList } from './AttemptList.tsx';
import { CopyCurl } from './CopyCurl.tsx';
import { deliverySentence } from './delivery-sentence.ts';
import { HeaderList } from './HeaderList.tsx';
import { ReplayElsewhere } from './ReplayElsewhere.tsx';
import { WebhookPanel, type WebhookPanelProps } from './WebhookPanel.tsx';

export function OutgoingPanel({ onReplayed, ...panel }: WebhookPanelProps) {
  const env = useEnv();
  return (
    <WebhookPanel
      {...panel}
      direction="outgoing"
      query={useQuery(outgoingWebhookQueryOptions(env, panel.webhookId))}
      title={(webhook) => <Title webhook={webhook} />}
      actions={(webhook) => <Actions webhook={webhook} onReplayed={onReplayed} />}
    >
      {(webhook) => (
        <>
          <Summary webhook={webhook} />
          <AttemptList webhook={webhook} />
          <h2>Body</h2>
          <BodyView text={webhook.body} label="body" />
          <h2>Headers</h2>
          <HeaderList headers={webhook.headers} />
        </>
      )}
    </WebhookPanel>
  );
}

const CAUSES: Record<OutgoingWebhookDetail['cause'], string | undefined> = {
  event: undefined,
  replay: 'Replay',
  sample: 'Sample',
};

function Title({ webhook }: { webhook: OutgoingWebhookDetail }) {
  const cause = CAUSES[webhook.cause];
  return (
    <>
      <span className="mono cut" style={{ fontSize: 14 }}>
        {webhook.type}
      </span>
      {cause && <Tag>{cause}</Tag>}
      <StatusBadge look={lookOf(DELIVERY_LOOK, webhook.state)} soft />
    </>
  );
}

function Summary({ webhook }: { webhook: OutgoingWebhookDetail }) {
  const env = useEnv();
  const operationLink = useOperationLink();
  const now = useNow();
  const { integrationKey, connectionId, originId, operationId } = webhook;
  return (
    <>
      <p className="name breaks pb-8" style={{ fontSize: 14 }}>
        {deliverySentence(webhook, now)}
      </p>
      <FactList wide>
        <Fact label="Event">{webhook.message}</Fact>
        {integrationKey && connectionId && (
          <Fact label="Connection">
            <Link to={paths.connection(env, { integrationKey, connectionId })}>{connectionId}</Link>
          </Fact>
        )}
        {webhook.destinationName !== null && <Fact label="Destination">{webhook.destinationName}</Fact>}
        {webhook.destinations.map((url, index) => (
          <Fact key={url} label={webhook.destinations.length > 1 ? `Address ${index + 1}` : 'Address'}>
            <CopyRow value={url} label="Copy address" />
          </Fact>
        ))}
        <Fact label="Created">{formatFull(webhook.createdAt)}</Fact>
        {originId && (
          <Fact label="Replay of">
            <Link to={paths.webhook(env, 'outgoing', originId)}>
              <code>{originId}</code>
            </Link>
          </Fact>
        )}
        {operationId && (
          <Fact label="Log">
            <Link to={operationLink(operationId)}>Open the operation</Link>
          </Fact>
        )}
      </FactList>
    </>
  );
}

function Actions({ webhook, onReplayed }: { webhook: OutgoingWebhookDetail; onReplayed: (id: string) => void }) {
  const replay = useReplayWebhook(webhook.id);
  const elsewhere = useReplayWebhook(webhook.id, OWN_ERROR);
  const [isAsking, setAsking] = useState(false);
  const shown = (id: string): void => {
    notifyDone('Sent again with a new signature');
    onReplayed(id);
  };
  return (
    <>
      <Button
        leftSection={<IconRepeat size={16} stroke={1.6} />}
        loading={replay.isPending && !isAsking}
        onClick={firstClick(() => replay.mutate(undefined, { onSuccess: shown }))}
      >
        Replay
      </Button>
      <Button variant="default" onClick={() => setAsking(true)}>
        Replay to another URL
      </Button>
      <CopyCurl webhook={webhook} />
      <ReplayElsewhere
        isOpen={isAsking}
        replay={elsewhere}
        onClose={() => setAsking(false)}
        onDone={(id) => {
          setAsking(false);
          shown(id);
        }}
      />
    </>
  );
}
