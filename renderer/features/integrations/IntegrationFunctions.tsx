import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { FunctionRow } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { useFunctions } from '../../api/use-functions.ts';
import { useMeta } from '../../api/use-meta.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { functionColumns } from '../../components/function-columns.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { paths, windowHref } from '../../lib/paths.ts';
import { FunctionSwitch } from './FunctionSwitch.tsx';

export function IntegrationFunctions({ integrationKey }: { integrationKey: string }) {
  const env = useEnv();
  const navigate = useNavigate();
  const { data: meta } = useMeta();
  const rows = useFunctions({ integrations: integrationKey });
  const columns = useMemo(
    () => [
      ...functionColumns<FunctionRow>()
        .filter((column) => column.id !== 'integration' && column.id !== 'models')
        .map(({ sort: _, ...column }) => column),
      { id: 'enabled', header: 'Enabled', width: 64, cell: (row: FunctionRow) => <FunctionSwitch row={row} /> },
    ],
    [],
  );
  return (
    <DataTable
      label="Functions"
      columns={columns}
      source={rows}
      rowKey={(row) => `${row.type}/${row.name}`}
      onOpen={(row) => void navigate(paths.function(env, row))}
      rowHref={(row) => windowHref(paths.function(env, row))}
      describeError={describeError}
      empty={
        <EmptyState
          title="No functions yet"
          text={
            <>
              A function is a TypeScript file that runs for the connections of this integration. Save one as{' '}
              <code>{`${meta?.functionsFolder ?? ''}/${integrationKey}/syncs/<name>.ts`}</code> and it appears here.
            </>
          }
        />
      }
    />
  );
}
