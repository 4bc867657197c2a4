import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { OperationDetailResponse } from '../../api/contract.ts';
import { operationStepsQueryOptions } from '../../api/logs/logs-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PlainTable } from '../../components/table/PlainTable.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import classes from './OperationPanel.module.css';

const KINDS = ['added', 'updated', 'deleted', 'unchanged'] as const;

/** The changes of the run, one row per model, with a link to the records as they were after it. */
export function RecordsChanged({ operation }: { operation: OperationDetailResponse }) {
  const env = useEnv();
  const { data, error, refetch } = useQuery(operationStepsQueryOptions(env, operation.id));
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const saves = data.data.flatMap(({ persistResults }) => (persistResults ? [persistResults] : []));
  const models = [...Map.groupBy(saves, ({ model }) => model)];
  if (models.length === 0)
    return <EmptyState title="No records changed" text="This operation saved, updated and deleted no records." />;
  const { integrationName, connectionName, meta } = operation;
  const variant = typeof meta?.['variant'] === 'string' ? meta['variant'] : 'base';
  const isPartial = data.total > data.data.length;
  return (
    <div className={classes['records']} style={{ padding: '12px var(--hp-gutter)' }}>
      <PlainTable hasFigures head={['Model', ...KINDS]}>
        {models.map(([model, rows]) => (
          <tr key={model}>
            <th scope="row">
              {integrationName && connectionName ? (
                <Link
                  to={paths.records(
                    env,
                    { integrationKey: integrationName, connectionId: connectionName },
                    model,
                    variant,
                  )}
                >
                  {model}
                </Link>
              ) : (
                model
              )}
            </th>
            {KINDS.map((kind) => (
              <td key={kind}>{formatNumber(rows.reduce((sum, row) => sum + row[kind], 0))}</td>
            ))}
          </tr>
        ))}
      </PlainTable>
      {isPartial && (
        <p className="faint">
          Counted over the first {formatNumber(data.data.length)} steps; {formatNumber(operation.recordsChanged)}{' '}
          changes in all.
        </p>
      )}
    </div>
  );
}
