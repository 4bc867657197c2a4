import { Box, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { EnvironmentSettingsResponse, OperationDetailResponse } from '../../api/contract.ts';
import { operationQueryOptions, operationStepsQueryOptions } from '../../api/logs/logs-queries.ts';
import { settingsQueryOptions } from '../../api/settings/settings-queries.ts';
import { useAnswered } from '../../api/use-answered.ts';
import { useEnv } from '../../api/use-env.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { Held } from '../../components/page/Held.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { OPEN_PAGE, panelPage } from '../../components/page/panel-page.ts';
import { PANELS } from '../../components/page/panel-width.ts';
import { SidePanel } from '../../components/page/SidePanel.tsx';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { ApiError } from '../../lib/api-error.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { operationLook } from '../../lib/status.ts';
import { MessageList } from './MessageList.tsx';
import { OperationActions } from './OperationActions.tsx';
import { OperationMark } from './OperationMark.tsx';
import classes from './OperationPanel.module.css';
import { OperationSummary } from './OperationSummary.tsx';
import { OperationTimeline } from './OperationTimeline.tsx';
import { operationName } from './operation-report.ts';
import { RecordsChanged } from './RecordsChanged.tsx';
import { RequestList } from './RequestList.tsx';

interface OperationPanelProps {
  operationId: string;
  isUtc: boolean;
  onClose: () => void;
  onStep?: (step: 1 | -1) => void;
  /** It is shown above another panel of any screen. */
  isStacked?: boolean;
}

/** Everything about one operation, beside the list (ui.md 6.11). */
export function OperationPanel({ operationId, isUtc, onClose, onStep, isStacked = false }: OperationPanelProps) {
  const env = useEnv();
  const url = useUrlState();
  const ownPage = `${paths.operation(env, operationId)}&${new URLSearchParams(OPEN_PAGE)}`;
  const { data, error, refetch } = useQuery(operationQueryOptions(env, operationId));
  const isAnswered = useAnswered();
  const showStarted = (id: string): void => url.set(isStacked ? { over: id } : { operationId: id });
  const isGone = error instanceof ApiError && error.status === 404;
  const retention = useQuery({ ...settingsQueryOptions(env), enabled: isGone }).data?.retention;
  return (
    <SidePanel
      width={PANELS.operation}
      label={`Operation ${operationId}`}
      title={data && <Title operation={data} />}
      onClose={onClose}
      {...(onStep && { onStep })}
      page={isStacked ? { isOpen: false, to: ownPage, back: '' } : panelPage(url)}
      footer={data && <OperationActions operation={data} onStarted={showStarted} />}
    >
      {isGone && (
        <EmptyState
          title="No such operation"
          text={
            <>
              The log has no operation with this id. {keptText(retention)} The time is in the{' '}
              <Link to={paths.settings(env, 'retention')}>environment settings</Link>.
            </>
          }
        />
      )}
      {error && !isGone && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !error && <PageSkeleton />}
      {data && (
        <Held isHeld={!isAnswered}>
          <OperationSummary operation={data} isUtc={isUtc} />
          <Parts key={operationId} operation={data} isUtc={isUtc} tabName={isStacked ? 'overTab' : 'tab'} />
        </Held>
      )}
    </SidePanel>
  );
}

/** How long operations are kept; without the settings, that it is a limited time. */
function keptText(retention: EnvironmentSettingsResponse['retention'] | undefined): string {
  const { logs_days: days = null, logs_megabytes: megabytes = null } = retention ?? {};
  const limits = [
    ...(days === null ? [] : [`after ${formatCount(days, 'day')}`]),
    ...(megabytes === null ? [] : [`when the log takes more than ${formatNumber(megabytes)} MB`]),
  ];
  if (retention && limits.length === 0) return 'Operations are kept without a limit now.';
  return `Operations are deleted ${limits.join(' or ') || 'after a limited time'}.`;
}

function Title({ operation }: { operation: OperationDetailResponse }) {
  const { type, action } = operation.operation;
  return (
    <>
      <OperationMark operation={operation} size={20} />
      <span className="mono cut" style={{ fontSize: 14 }}>
        {operationName(operation)}
      </span>
      <Tag>{`${type}:${action}`}</Tag>
      <StatusBadge look={operationLook(operation)} soft />
    </>
  );
}

const TABS = ['summary', 'messages', 'requests', 'records', 'raw'];

interface PartsProps {
  operation: OperationDetailResponse;
  isUtc: boolean;
  /** The address parameter for the tab. */
  tabName: string;
}

function Parts({ operation, isUtc, tabName }: PartsProps) {
  const env = useEnv();
  const url = useUrlState();
  const chosen = url.get(tabName) ?? '';
  const tab = TABS.includes(chosen) ? chosen : 'summary';
  const steps = useQuery(operationStepsQueryOptions(env, operation.id)).data;
  const messages = <MessageList operationId={operation.id} recordedLevel={operation.recordedLevel} isUtc={isUtc} />;
  return (
    <Tabs
      className={classes['tabs'] ?? ''}
      value={tab}
      onChange={(next) =>
        url.set({ [tabName]: next === 'summary' ? undefined : (next ?? undefined) }, { replace: true })
      }
    >
      <Tabs.List>
        <Tabs.Tab value="summary">Summary</Tabs.Tab>
        <Tabs.Tab value="messages">Messages</Tabs.Tab>
        <Tabs.Tab value="requests">
          Requests <Count of={operation.httpCalls} />
        </Tabs.Tab>
        <Tabs.Tab value="records">
          Records changed <Count of={operation.recordsChanged} />
        </Tabs.Tab>
        <Tabs.Tab value="raw">Raw</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="summary" className={classes['part'] ?? ''}>
        {steps && <OperationTimeline operation={operation} messages={steps.data} total={steps.total} />}
        {messages}
      </Tabs.Panel>
      <Tabs.Panel value="messages" className={classes['part'] ?? ''}>
        {messages}
      </Tabs.Panel>
      <Tabs.Panel value="requests" className={classes['part'] ?? ''}>
        <RequestList operation={operation} />
      </Tabs.Panel>
      <Tabs.Panel value="records" className={classes['part'] ?? ''}>
        <RecordsChanged operation={operation} />
      </Tabs.Panel>
      <Tabs.Panel value="raw" className={classes['part'] ?? ''}>
        <Box py={12} px="var(--hp-gutter)">
          <JsonViewer json={JSON.stringify(operation)} label="operation" height={640} />
        </Box>
      </Tabs.Panel>
    </Tabs>
  );
}

function Count({ of }: { of: number }) {
  return of > 0 ? <span className="faint">{formatNumber(of)}</span> : null;
}
