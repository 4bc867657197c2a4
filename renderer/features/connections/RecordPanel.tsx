import { describeError } from '../../api/api-error.ts';
import type { ConnectionRef } from '../../api/use-connection.ts';
import { useRecord } from '../../api/use-record.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { ErrorPanel } from '../../components/ErrorPanel.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { JsonTree } from '../../components/JsonTree.tsx';
import { SidePanel } from '../../components/SidePanel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { formatFull } from '../../lib/format-time.ts';
import { lookOf, RECORD_LOOK } from '../../lib/status.ts';
import classes from './RecordPanel.module.css';

interface RecordPanelProps {
  connection: ConnectionRef;
  model: string;
  variant: string;
  recordId: string;
  onClose: () => void;
  onStep: (step: 1 | -1) => void;
}

export function RecordPanel({ connection, model, variant, recordId, onClose, onStep }: RecordPanelProps) {
  const { data, error, refetch } = useRecord(connection, { model, variant }, recordId);
  const title = (
    <>
      <code className={classes['id']}>{recordId}</code>
      {data && <StatusBadge look={lookOf(RECORD_LOOK, data.action)} />}
    </>
  );
  return (
    <SidePanel
      id="record"
      label={`Record ${recordId}`}
      title={title}
      onClose={onClose}
      onStep={onStep}
      defaultWidth={480}
    >
      {error && <ErrorPanel {...describeError(error)} onRetry={() => void refetch()} />}
      {data && (
        <div className={classes['body']}>
          <h2>Record</h2>
          {data.payload ? (
            <JsonTree value={data.payload} label="record" maxHeight={520} />
          ) : (
            <p className="faint">The payload was pruned.</p>
          )}
          <h2>Metadata</h2>
          <FactList wide>
            <Fact label="First seen">{formatFull(data.firstSeenAt)}</Fact>
            <Fact label="Last modified">{formatFull(data.modifiedAt)}</Fact>
            {data.deletedAt && <Fact label="Deleted">{formatFull(data.deletedAt)}</Fact>}
            <Fact label="Cursor">
              <CopyRow value={data.cursor} label="Copy cursor" />
            </Fact>
          </FactList>
        </div>
      )}
    </SidePanel>
  );
}
