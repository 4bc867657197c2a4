import { Button, CloseButton, Group } from '@mantine/core';
import { IconCopy, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { MessageListItem, OperationDetailResponse } from '../../api/contract.ts';
import { providerQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useMessages } from '../../api/logs/logs-queries.ts';
import { copyText } from '../../components/copy-text.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { type PlaygroundTarget, useShell } from '../../components/shell-context.ts';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useCommands } from '../../components/use-commands.ts';
import { useListFocus } from '../../components/use-list-focus.ts';
import { formatDuration } from '../../lib/format-time.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import classes from './OperationPanel.module.css';
import { curlOf, endpointOf, pathOfUrl } from './operation-report.ts';
import { RecordedBodies, UnrecordedNote, useRecording } from './RecordedBodies.tsx';

const COLUMNS: Column<MessageListItem>[] = [
  { id: 'method', header: 'Method', width: 56, cell: ({ request }) => <code>{request?.method ?? ''}</code> },
  {
    id: 'path',
    header: 'Path',
    width: 160,
    grow: true,
    text: ({ request }) => request?.url ?? null,
    cell: ({ request, message }) => (
      <code className="cut" title={request?.url}>
        {request ? pathOfUrl(request.url) : message}
      </code>
    ),
  },
  {
    id: 'host',
    header: 'Host',
    width: 112,
    cell: ({ request }) => <span className="soft cut">{URL.parse(request?.url ?? '')?.host ?? ''}</span>,
  },
  {
    id: 'code',
    header: 'Status',
    width: 52,
    align: 'right',
    cell: ({ response }) => (
      <code data-level={(response?.code ?? 500) >= 400 ? 'error' : 'info'}>{response?.code ?? 'none'}</code>
    ),
  },
  { id: 'took', header: 'Took', width: 60, align: 'right', cell: ({ durationMs }) => formatDuration(durationMs) },
];

/** The requests of the operation to the provider, one row per attempt. */
export function RequestList({ operation }: { operation: OperationDetailResponse }) {
  const rows = useMessages(operation.id, { types: 'http' });
  const [open, setOpen] = useState<MessageListItem>();
  return (
    <>
      <DataTable
        label="Requests"
        columns={COLUMNS}
        source={rows}
        rowHeight={28}
        rowKey={(row) => row.id}
        onOpen={setOpen}
        openKey={open?.id}
        onClose={() => setOpen(undefined)}
        empty={<EmptyState title="No requests" text="This operation sent no requests." />}
      />
      {open?.request && <RequestDetail operation={operation} message={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface RequestDetailProps {
  operation: OperationDetailResponse;
  message: MessageListItem;
  onClose: () => void;
}

function RequestDetail({ operation, message, onClose }: RequestDetailProps) {
  const part = useRef<HTMLElement>(null);
  useListFocus(part);
  useCommands([{ ...KEY_MAP.close, within: () => part.current, run: onClose }]);
  const { openPlayground } = useShell();
  const recording = useRecording(operation.id, message);
  const provider = useQuery(providerQueryOptions(operation.providerName ?? undefined)).data;
  const { request, response, retry, error } = message;
  if (!request) return null;
  const body = recording.data?.request;
  const isCut = body?.isCut === true;
  const { integrationName, connectionName } = operation;
  const replay = (): void =>
    openPlayground({
      kind: 'proxy',
      integrationKey: integrationName ?? '',
      connectionId: connectionName ?? '',
      method: request.method.toUpperCase() as NonNullable<PlaygroundTarget['method']>,
      endpoint: endpointOf(request.url, provider?.baseUrl),
      ...(recording.data && { body: body?.encoding === 'utf8' && !isCut ? body.text : '' }),
    });
  const copy = (): void => {
    const done = isCut ? 'Command copied without its body, of which only the beginning is kept' : 'Command copied';
    void copyText(curlOf(message, body), done);
  };
  return (
    <section
      ref={part}
      className={`rigid scroll sunken ${classes['detail']}`}
      data-bodies={message.recordingId !== null}
      aria-label="Request"
    >
      <div className="row at-top pb-8">
        <p className="breaks" style={{ flex: 1 }}>
          <code>{`${request.method} ${request.url}`}</code>
        </p>
        <CloseButton size={24} aria-label="Close request" onClick={onClose} />
      </div>
      <Group gap={8} align="stretch" pb={8}>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconCopy size={14} aria-hidden />}
          disabled={recording.isLoading}
          onClick={copy}
        >
          Copy as curl
        </Button>
        {integrationName && connectionName && (
          <Button size="xs" variant="default" leftSection={<IconPlayerPlay size={14} aria-hidden />} onClick={replay}>
            Replay in playground
          </Button>
        )}
      </Group>
      {message.recordingId !== null && (
        <>
          <RecordedBodies message={message} recording={recording} />
          <h3>Headers</h3>
        </>
      )}
      <JsonViewer
        json={JSON.stringify({
          request,
          ...(response && { response }),
          ...(retry && { retry }),
          ...(error && { error }),
        })}
        label="request"
        height={320}
        isPlain
      />
      {message.recordingId === null && <UnrecordedNote />}
    </section>
  );
}
