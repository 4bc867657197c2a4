import { Button, Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { ShownWebhookType } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { useSendSample } from '../../api/webhooks/webhooks-mutations.ts';
import { outgoingWebhookQueryOptions } from '../../api/webhooks/webhooks-queries.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { paths } from '../../lib/paths.ts';
import { DELIVERY_LOOK, lookOf } from '../../lib/status.ts';
import classes from './EnvironmentSettings.module.css';

/** Event types of webhooks. */
export const TYPES: { value: ShownWebhookType; label: string }[] = [
  { value: 'auth', label: 'auth' },
  { value: 'sync', label: 'sync' },
  { value: 'async_action', label: 'async_action' },
  { value: 'forward', label: 'forward' },
];

/** Sends a sample event to the saved addresses and shows the result. */
export function TestEvent({ hasUrl, isUnsaved }: { hasUrl: boolean; isUnsaved: boolean }) {
  const [type, setType] = useState<ShownWebhookType>('sync');
  const [sent, setSent] = useState<string>();
  const send = useSendSample();
  const why = isUnsaved ? 'Save the addresses first.' : hasUrl ? undefined : 'Set an address first.';
  return (
    <Group gap={8}>
      <Select
        aria-label="Type of the test event"
        data={TYPES}
        value={type}
        w={140}
        onChange={(next) => next && setType(next as ShownWebhookType)}
      />
      <Button
        variant="default"
        loading={send.isPending}
        disabled={why !== undefined}
        onClick={() => send.mutate(type, { onSuccess: setSent })}
      >
        Send a test event
      </Button>
      <span className={`row soft ${classes['result']}`} role="status">
        {why ?? (sent && <SentResult webhookId={sent} />)}
      </span>
    </Group>
  );
}

/** The state of one webhook, with a link to its details. */
export function SentResult({ webhookId }: { webhookId: string }) {
  const env = useEnv();
  const { data: webhook } = useQuery(outgoingWebhookQueryOptions(env, webhookId));
  if (!webhook) return null;
  const { code, error, durationMs } = webhook;
  const response = code ?? error;
  return (
    <>
      <StatusBadge look={lookOf(DELIVERY_LOOK, webhook.state)} />
      {response !== null && <span>{`${response}${durationMs === null ? '' : `, ${durationMs} ms`}`}</span>}
      <Link to={paths.webhook(env, 'outgoing', webhook.id)}>Details</Link>
    </>
  );
}
