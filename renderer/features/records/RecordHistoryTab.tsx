import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { RecordVersionRow } from '../../api/contract.ts';
import {
  recordHistoryQueryOptions,
  recordVersionsQueryOptions,
  type StreamRef,
} from '../../api/records/records-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { useOperationLink } from '../../components/function/use-operation-link.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { lookOf, RECORD_LOOK } from '../../lib/status.ts';
import { HistorySwitch, historyOffer, historySize } from './HistorySwitch.tsx';
import { RecordDiff } from './RecordDiff.tsx';
import classes from './RecordHistory.module.css';
import { pairOf, toggleVersion } from './version-pair.ts';

interface RecordHistoryTabProps {
  connection: ConnectionRef;
  stream: StreamRef;
  recordId: string;
}

/** The versions of one record and a comparison of two; or an offer to keep versions from now on. */
export function RecordHistoryTab({ connection, stream, recordId }: RecordHistoryTabProps) {
  const env = useEnv();
  const history = useQuery(recordHistoryQueryOptions(env, connection, stream));
  const versions = useQuery(recordVersionsQueryOptions(env, connection, stream, recordId));
  const error = history.error ?? versions.error;
  if (error)
    return <ErrorPanel error={error} onRetry={() => void Promise.all([history.refetch(), versions.refetch()])} />;
  if (!history.data || !versions.data) return null;
  if (!history.data.isOn)
    return (
      <EmptyState title={`No history of ${stream.model}`} text={historyOffer(history.data, stream.model)}>
        {history.data.sync !== null && <HistorySwitch {...{ connection, stream }} history={history.data} />}
      </EmptyState>
    );
  return (
    <>
      <Comparison key={recordId} {...{ connection, stream, recordId }} versions={versions.data.data} />
      <footer
        className="stack gap-12 small line-above faint at-top"
        style={{ marginTop: 16, padding: '16px var(--hp-gutter) 24px' }}
      >
        <p>
          Up to {formatCount(history.data.mostVersions, 'version')} a record for{' '}
          {formatCount(history.data.mostDays, 'day')}. All {stream.model} records of this connection:{' '}
          {historySize(history.data)}.
        </p>
        {history.data.sync !== null && <HistorySwitch {...{ connection, stream }} history={history.data} />}
      </footer>
    </>
  );
}

function Comparison({
  connection,
  stream,
  recordId,
  versions,
}: RecordHistoryTabProps & { versions: RecordVersionRow[] }) {
  // Undefined: the newest two, including versions that are stored later.
  const [chosen, setChosen] = useState<string[]>();
  const ticked = chosen ?? versions.slice(0, 2).map((version) => version.at);
  const pair = pairOf(ticked);
  const nameOf = (at: string): string => `Version ${versions.length - versions.findIndex((one) => one.at === at)}`;
  return (
    <>
      {pair ? (
        <RecordDiff {...{ connection, stream, recordId, pair, nameOf }} />
      ) : (
        <p className="soft" style={{ padding: '16px var(--hp-gutter)' }}>
          {versions.length < 2 ? 'Nothing has replaced this version yet.' : 'Tick two versions to compare them.'}
        </p>
      )}
      {versions.length > 2 && <VersionSlider {...{ versions, ticked, nameOf }} onChoose={setChosen} />}
      <VersionList
        versions={versions}
        ticked={ticked}
        nameOf={nameOf}
        onTick={(at) => setChosen(toggleVersion(ticked, at))}
      />
    </>
  );
}

interface VersionSliderProps {
  /** Newest first. */
  versions: RecordVersionRow[];
  ticked: readonly string[];
  nameOf: (at: string) => string;
  onChoose: (pair: string[]) => void;
}

/** Steps through the versions, each compared with the one before it. */
function VersionSlider({ versions, ticked, nameOf, onChoose }: VersionSliderProps) {
  const oldestFirst = versions.map(({ at }) => at).reverse();
  const newer = [...ticked].sort().at(-1) ?? '';
  return (
    <div className={`row gap-12 soft small ${classes['slider']}`} style={{ padding: '12px var(--hp-gutter) 4px' }}>
      <span>{nameOf(oldestFirst[0] ?? '')}</span>
      <input
        className="grow"
        type="range"
        aria-label="Version"
        aria-valuetext={nameOf(newer)}
        min={1}
        max={oldestFirst.length - 1}
        value={Math.max(oldestFirst.indexOf(newer), 1)}
        onChange={(event) => {
          const index = event.currentTarget.valueAsNumber;
          onChoose(oldestFirst.slice(index - 1, index + 1));
        }}
      />
      <span>{nameOf(oldestFirst.at(-1) ?? '')}</span>
    </div>
  );
}

interface VersionListProps {
  versions: RecordVersionRow[];
  ticked: string[];
  nameOf: (at: string) => string;
  onTick: (at: string) => void;
}

/** Newest first; the two selected ones are compared. */
function VersionList({ versions, ticked, nameOf, onTick }: VersionListProps) {
  const operationLink = useOperationLink();
  return (
    <section aria-label="Versions">
      <h2 style={{ padding: '20px var(--hp-gutter) 8px' }}>Versions</h2>
      <ul
        className="grid"
        style={{ gridTemplateColumns: 'max-content minmax(0, max-content) minmax(0, 1fr) max-content' }}
      >
        {versions.map((version) => (
          <li key={version.at} className={`grid gap-12 middle ${classes['version']}`}>
            <Checkbox
              label={nameOf(version.at)}
              checked={ticked.includes(version.at)}
              onChange={() => onTick(version.at)}
            />
            <span className="row wrap" style={{ gap: '0 8px' }}>
              <StatusBadge look={lookOf(RECORD_LOOK, version.action)} />
              {version.isPruned && <span className="faint">pruned</span>}
            </span>
            <span className="right">
              {version.operationId && <Link to={operationLink(version.operationId)}>Run</Link>}
            </span>
            <RelativeTime at={version.at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
