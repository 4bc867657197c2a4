import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { ApiError, describeError } from '../../api/api-error.ts';
import type { OperationDetailAnswer } from '../../api/contract.ts';
import { operationQueryOptions } from '../../api/logs/logs-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorPanel } from '../../components/ErrorPanel.tsx';
import { JsonTree } from '../../components/JsonTree.tsx';
import { ProviderLogo } from '../../components/ProviderLogo.tsx';
import { SidePanel } from '../../components/SidePanel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/Tag.tsx';
import { formatClock, formatDuration } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { lookOf, OPERATION_LOOK } from '../../lib/status.ts';
import { MessageList } from './MessageList.tsx';
import classes from './OperationPanel.module.css';

interface OperationPanelProps {
  operationId: string;
  onClose: () => void;
  onStep: (step: 1 | -1) => void;
}

export function OperationPanel({ operationId, onClose, onStep }: OperationPanelProps) {
  const env = useEnv();
  const { data, error, refetch } = useQuery(operationQueryOptions(env, operationId));
  const isGone = error instanceof ApiError && error.status === 404;
  const footer = data && (
    <>
      <OperationLinks operation={data} />
      <CopyButton value={location.href} label="Copy link" size={28} />
    </>
  );
  return (
    <SidePanel
      id="operation"
      label={`Operation ${operationId}`}
      title={data && <Title operation={data} />}
      onClose={onClose}
      onStep={onStep}
      defaultWidth={580}
      footer={footer}
    >
      {isGone && (
        <EmptyState title="This operation is gone" text="Operations are kept for a limited time and then deleted." />
      )}
      {error && !isGone && <ErrorPanel {...describeError(error)} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Summary operation={data} />
          <MessageList key={operationId} operationId={operationId} recordedLevel={data.recordedLevel} />
        </>
      )}
    </SidePanel>
  );
}

function Title({ operation }: { operation: OperationDetailAnswer }) {
  const { type, action } = operation.operation;
  const name = operation.syncConfigName ?? operation.integrationName ?? type;
  return (
    <>
      {operation.providerName && (
        <ProviderLogo provider={operation.providerName} name={operation.integrationName ?? ''} size={20} />
      )}
      <span className={`mono cut ${classes['name']}`}>{name}</span>
      <Tag>{`${type}:${action}`}</Tag>
      <StatusBadge look={lookOf(OPERATION_LOOK, operation.state)} soft />
    </>
  );
}

function Summary({ operation }: { operation: OperationDetailAnswer }) {
  const facts = [
    operation.endUserName ?? operation.connectionName,
    operation.trigger && `Trigger: ${operation.trigger}`,
    `${formatClock(operation.createdAt, Date.now())}, ${formatDuration(operation.durationMs)}`,
  ].filter(Boolean);
  return (
    <div className={classes['summary']}>
      <p className={classes['sentence']}>{operation.error?.message ?? operation.message}</p>
      {operation.error?.type && (
        <p className={classes['code']}>
          <code>{operation.error.type}</code>
        </p>
      )}
      <p className={classes['facts']}>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {operation.error?.payload !== undefined && (
        <JsonTree value={operation.error.payload} label="error payload" maxHeight={160} />
      )}
      {operation.meta && Object.keys(operation.meta).length > 0 && (
        <details>
          <summary>Payload</summary>
          <JsonTree value={operation.meta} label="payload" maxHeight={240} />
        </details>
      )}
    </div>
  );
}

function OperationLinks({ operation }: { operation: OperationDetailAnswer }) {
  const env = useEnv();
  const { integrationName, connectionName } = operation;
  if (!integrationName) return null;
  return (
    <>
      {connectionName && (
        <Button
          variant="default"
          component={Link}
          to={paths.connection(env, { integrationKey: integrationName, connectionId: connectionName })}
        >
          Open connection
        </Button>
      )}
      <Button variant="subtle" component={Link} to={paths.integration(env, integrationName)}>
        Open integration
      </Button>
      <span style={{ flex: 1 }} />
    </>
  );
}
