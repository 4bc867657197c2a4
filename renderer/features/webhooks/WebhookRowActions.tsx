import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { OutgoingWebhookRow, WebhookRow } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { useRepeatWebhook, useReplayWebhook } from '../../api/webhooks/webhooks-mutations.ts';
import { firstClick } from '../../components/form/first-click.ts';
import { notifyDone } from '../../components/notice/notify.ts';
import { useShell } from '../../components/shell-context.ts';
import { paths } from '../../lib/paths.ts';

interface RowActionsProps<Row> {
  row: Row;
  /** Shows the new webhook. */
  onReplayed: (webhookId: string) => void;
  children: ReactNode;
}

/** The content of the menu of an incoming webhook. */
export function IncomingRowActions({ row, onReplayed, children }: RowActionsProps<WebhookRow>) {
  const env = useEnv();
  const repeat = useRepeatWebhook(row.id);
  const { openPlayground } = useShell();
  const { integrationKey } = row;
  const [connectionId] = row.connectionIds;
  const replay = (): void =>
    repeat.mutate(
      {},
      {
        onSuccess: ({ id }) => {
          notifyDone('Replayed');
          onReplayed(id);
        },
      },
    );
  return (
    <Menu.Dropdown>
      <Menu.Item onClick={firstClick(replay)}>Replay</Menu.Item>
      {connectionId !== undefined && (
        <>
          <Menu.Item
            onClick={() => openPlayground({ kind: 'webhook', integrationKey, connectionId, webhookId: row.id })}
          >
            Run handler
          </Menu.Item>
          <Menu.Item component={Link} to={paths.connection(env, { integrationKey, connectionId })}>
            Open connection
          </Menu.Item>
        </>
      )}
      <Menu.Divider />
      {children}
    </Menu.Dropdown>
  );
}

/** The content of the menu of a webhook to the app. */
export function OutgoingRowActions({ row, onReplayed, children }: RowActionsProps<OutgoingWebhookRow>) {
  const replay = useReplayWebhook(row.id);
  const send = (): void =>
    replay.mutate(undefined, {
      onSuccess: (id) => {
        notifyDone('Sent again with a new signature');
        onReplayed(id);
      },
    });
  return (
    <Menu.Dropdown>
      <Menu.Item onClick={firstClick(send)}>Replay</Menu.Item>
      <Menu.Divider />
      {children}
    </Menu.Dropdown>
  );
}
