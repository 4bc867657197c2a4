import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { RecordDetail } from '../../api/contract.ts';
import {
  recordHistoryQueryOptions,
  recordQueryOptions,
  recordVersionsQueryOptions,
} from '../../api/records/records-queries.ts';
import { useAnswered } from '../../api/use-answered.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { useOperationLink } from '../../components/function/use-operation-link.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { Held } from '../../components/page/Held.tsx';
import { panelPage } from '../../components/page/panel-page.ts';
import { PANELS } from '../../components/page/panel-width.ts';
import { SidePanel } from '../../components/page/SidePanel.tsx';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { formatFull } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { lookOf, RECORD_LOOK } from '../../lib/status.ts';
import { RecordHistoryTab } from './RecordHistoryTab.tsx';
import classes from './RecordPanel.module.css';

interface RecordPanelProps {
  connection: ConnectionRef;
  model: string;
  variant: string;
  /** A past moment; absent: now. */
  at: string | undefined;
  recordId: string;
  onClose: () => void;
  onStep: (step: 1 | -1) => void;
}

export function RecordPanel({ connection, model, variant, at, recordId, onClose, onStep }: RecordPanelProps) {
  const env = useEnv();
  const url = useUrlState();
  const tab = url.get('tab') === 'history' ? 'history' : 'record';
  const { data, error, refetch } = useQuery(recordQueryOptions(env, connection, { model, variant, at }, recordId));
  const title = (
    <>
      <code className="strong cut" style={{ fontSize: 14 }}>
        {recordId}
      </code>
      {data && <StatusBadge look={lookOf(RECORD_LOOK, data.action)} />}
    </>
  );
  const isAnswered = useAnswered();
  return (
    <SidePanel
      width={PANELS.record}
      label={`Record ${recordId}`}
      title={title}
      onClose={onClose}
      onStep={onStep}
      page={panelPage(url)}
    >
      <Tabs
        value={tab}
        onChange={(next) => url.set({ tab: next === 'record' ? undefined : (next ?? undefined) }, { replace: true })}
        key={recordId}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="record">Record</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="record">
          {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
          {data && <RecordContent {...{ connection, model, variant }} record={data} />}
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Held isHeld={!isAnswered}>
            <RecordHistoryTab connection={connection} stream={{ model, variant }} recordId={recordId} />
          </Held>
        </Tabs.Panel>
      </Tabs>
    </SidePanel>
  );
}

interface RecordContentProps {
  connection: ConnectionRef;
  model: string;
  variant: string;
  record: RecordDetail;
}

function RecordContent({ connection, model, variant, record }: RecordContentProps) {
  const json = useMemo(() => JSON.stringify(record.payload), [record.payload]);
  return (
    <div className={`stack gap-8 ${classes['body']}`} style={{ padding: '16px var(--hp-gutter) 24px' }}>
      <h2>Record</h2>
      {record.payload ? (
        <JsonViewer json={json} label="record" height={520} />
      ) : (
        <p className="faint">The payload was pruned.</p>
      )}
      <h2>Metadata</h2>
      <FactList wide>
        <Fact label="First seen">{formatFull(record.firstSeenAt)}</Fact>
        <Fact label="Last modified">{formatFull(record.modifiedAt)}</Fact>
        {record.deletedAt && <Fact label="Deleted">{formatFull(record.deletedAt)}</Fact>}
        <Fact label="Produced by">
          <Producer {...{ connection, model, variant, record }} />
        </Fact>
        <Fact label="Cursor">
          <CopyRow value={record.cursor} label="Copy cursor" />
        </Fact>
      </FactList>
    </div>
  );
}

const BEFORE_MS = 3_600_000;

/** The run that wrote this version, from the history, and its requests to the provider; without history, the runs of that time. */
function Producer({ connection, model, variant, record }: RecordContentProps) {
  const env = useEnv();
  const operationLink = useOperationLink();
  const { data: history } = useQuery(recordHistoryQueryOptions(env, connection, { model, variant }));
  const { data: versions } = useQuery({
    ...recordVersionsQueryOptions(env, connection, { model, variant }, record.id),
    enabled: history?.isOn === true,
  });
  const run = versions?.data.find(({ at }) => at === record.modifiedAt)?.operationId;
  if (run) {
    return (
      <span className="row">
        <Link to={operationLink(run)}>Run</Link>
        <Link to={operationLink(run, 'requests')}>Its requests</Link>
      </span>
    );
  }
  const ms = Date.parse(record.modifiedAt);
  const query = {
    integrations: connection.integrationKey,
    connections: connection.connectionId,
    types: 'sync,webhook,action',
    period: `${ms - BEFORE_MS},${ms + 1}`,
  };
  return <Link to={paths.logs(env, query)}>Runs of the hour before</Link>;
}
