import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconFileText, IconPlayerPlay, IconTerminal2 } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { DesktopBridge, OperationDetailResponse, PlaygroundRequestInput } from '../../api/contract.ts';
import { desktopBridge } from '../../api/desktop-bridge.ts';
import { providerQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { exportList } from '../../api/lists/export-list.ts';
import { operationStepsQueryOptions } from '../../api/logs/logs-queries.ts';
import { readHar } from '../../api/logs/read-har.ts';
import { useStartRun } from '../../api/playground/playground-mutations.ts';
import {
  playgroundHistoryQueryOptions,
  playgroundRunQueryOptions,
  runMessagesQueryOptions,
} from '../../api/playground/playground-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { copyText } from '../../components/copy-text.ts';
import { DraggableFile } from '../../components/form/DraggableFile.tsx';
import { firstClick } from '../../components/form/first-click.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { type PlaygroundTarget, useShell } from '../../components/shell-context.ts';
import { paths } from '../../lib/paths.ts';
import { saveFile } from '../../lib/save-file.ts';
import { endpointOf, reportOf } from './operation-report.ts';

interface OperationActionsProps {
  operation: OperationDetailResponse;
  /** Shows a run that was started here, in the place of this one. */
  onStarted: (operationId: string) => void;
}

/** The actions on an operation: run again, open in the playground, share. */
export function OperationActions({ operation, onStarted }: OperationActionsProps) {
  const env = useEnv();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { openPlayground } = useShell();
  const start = useStartRun();
  const past = useQuery(playgroundHistoryQueryOptions(env, {})).data?.find((run) => run.operationId === operation.id);
  const again = past?.request ?? runAgainOf(operation);
  const target = usePlaygroundTarget(operation);
  const { integrationName, connectionName } = operation;
  const [startedRun, setStartedRun] = useState<string>();
  const started = useQuery(playgroundRunQueryOptions(env, startedRun)).data;
  const run = (request: PlaygroundRequestInput): void =>
    start.mutate(request, { onSuccess: ({ id }) => setStartedRun(id) });
  const show = useEffectEvent(onStarted);
  const newId = startedRun === undefined ? undefined : started?.operationId;
  // The log may not list it: its filters can leave it out.
  useEffect(() => {
    if (!newId) return;
    setStartedRun(undefined);
    show(newId);
    notifyDone('Started; this is the new run');
  }, [newId]);
  const copyReport = async (): Promise<void> => {
    const { data } = await client.fetchQuery(runMessagesQueryOptions(env, operation.id));
    await copyText(reportOf(operation, data), 'Report copied');
  };
  const readBundle = async (): Promise<Blob> => {
    const messages = await exportList({
      list: 'GET /api/v1/logs/messages',
      query: { env, operationId: operation.id },
      format: 'json',
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    const parts = [`{"operation":${JSON.stringify(operation)},"messages":`, messages, '}\n'];
    return new Blob(parts, { type: 'application/json' });
  };
  const bundleName = `operation-${operation.id}.json`;
  const saveBundle = async (): Promise<void> => saveFile(bundleName, await readBundle());
  const saveHar = async (): Promise<void> =>
    saveFile(`operation-${operation.id}.har`, await readHar(env, { operationId: operation.id }));
  const desktop = desktopBridge();
  const dragBundle = async (bridge: DesktopBridge): Promise<void> => {
    const text = await (await readBundle()).text();
    await bridge.startDrag({ name: bundleName, text });
  };
  const copyLink = (): void => {
    void copyText(location.href, 'Link copied');
  };
  return (
    <>
      {again && (
        <Button
          leftSection={<IconPlayerPlay size={16} stroke={1.6} aria-hidden />}
          loading={start.isPending}
          onClick={firstClick(() => run(again))}
        >
          Run again
        </Button>
      )}
      {target && (
        <Button
          variant="default"
          leftSection={<IconTerminal2 size={16} stroke={1.6} aria-hidden />}
          onClick={() => openPlayground(target)}
        >
          Open in playground
        </Button>
      )}
      <span style={{ flex: 1 }} />
      <Button
        variant="subtle"
        leftSection={<IconFileText size={16} stroke={1.6} aria-hidden />}
        onClick={() => void copyReport().catch(notifyError)}
      >
        Copy report
      </Button>
      {desktop && (
        <DraggableFile
          label="Save the log as a file"
          onClick={() => saveBundle().catch(notifyError)}
          onDrag={() => dragBundle(desktop).catch(notifyError)}
        />
      )}
      <Menu position="top-end">
        <Menu.Target>
          <ActionIcon size={28} aria-label="More">
            <IconDots size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={copyLink}>Copy link</Menu.Item>
          {past?.canBeSaved && (
            <Menu.Item onClick={() => openPlayground({ ...target, runId: past.id })}>Save as fixture</Menu.Item>
          )}
          <Menu.Item onClick={() => void saveBundle().catch(notifyError)}>Save as a file with all messages</Menu.Item>
          {operation.httpCalls > 0 && (
            <Menu.Item onClick={() => void saveHar().catch(notifyError)}>Save requests as HAR</Menu.Item>
          )}
          {integrationName && connectionName && (
            <Menu.Item
              onClick={() =>
                void navigate(paths.connection(env, { integrationKey: integrationName, connectionId: connectionName }))
              }
            >
              Open connection
            </Menu.Item>
          )}
          {integrationName && (
            <Menu.Item component={Link} to={paths.integration(env, integrationName)}>
              Open integration
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/**
 * The request that runs the sync again; undefined for other operations. The log does not keep inputs of actions, so only
 * those that the playground started can be repeated unchanged.
 */
function runAgainOf(operation: OperationDetailResponse): PlaygroundRequestInput | undefined {
  const { integrationName: integrationKey, connectionName: connectionId, syncConfigName: name, meta } = operation;
  if (operation.operation.type !== 'sync' || operation.operation.action !== 'run') return undefined;
  if (!integrationKey || !connectionId || !name) return undefined;
  const variant = typeof meta?.['variant'] === 'string' ? meta['variant'] : 'base';
  return { kind: 'sync', integrationKey, connectionId, name, mode: 'live', variant };
}

/** Initial values for the playground; undefined for operations that it cannot run. */
function usePlaygroundTarget(operation: OperationDetailResponse): PlaygroundTarget | undefined {
  const env = useEnv();
  const { type } = operation.operation;
  const isCall = type === 'proxy';
  const steps = useQuery({ ...operationStepsQueryOptions(env, operation.id), enabled: isCall }).data;
  const provider = useQuery(providerQueryOptions(isCall ? (operation.providerName ?? undefined) : undefined)).data;
  const { integrationName, connectionName, syncConfigName } = operation;
  if (!integrationName || !connectionName) return undefined;
  const target = { integrationKey: integrationName, connectionId: connectionName };
  if ((type === 'sync' || type === 'action') && syncConfigName) return { ...target, kind: type, name: syncConfigName };
  const request = steps?.data.find((message) => message.request)?.request;
  if (!isCall || !request) return undefined;
  return {
    ...target,
    kind: 'proxy',
    method: request.method.toUpperCase() as NonNullable<PlaygroundTarget['method']>,
    endpoint: endpointOf(request.url, provider?.baseUrl),
  };
}
