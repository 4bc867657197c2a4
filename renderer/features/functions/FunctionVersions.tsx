import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import type { FunctionDetail } from '../../api/contract.ts';
import { functionDeploysQueryOptions } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { paths } from '../../lib/paths.ts';
import { lookOf, OPERATION_LOOK } from '../../lib/status.ts';
import classes from './FunctionPage.module.css';

const CodeDiff = lazy(async () => ({ default: (await import('../../components/CodeDiff.tsx')).CodeDiff }));

/** The version that runs beside the file as it is, and what was deployed when. */
export function FunctionVersions({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const { integrationKey, name, version, runningCode } = data;
  const { data: deploys } = useQuery(functionDeploysQueryOptions(env, { integrationKey, name }));
  return (
    <div className={classes['versions']}>
      <h2>{version === null ? 'No version runs' : `Version ${version} runs`}</h2>
      {version !== null && runningCode === null && <p className="soft">The file is the same.</p>}
      {runningCode !== null && (
        <>
          <p className="soft">The saved file differs. What it would change:</p>
          <div className={classes['diff']}>
            <Suspense fallback={null}>
              <CodeDiff before={runningCode} after={data.code} label={`${data.file}, running version and file`} />
            </Suspense>
          </div>
        </>
      )}
      <h2>Deployments</h2>
      {deploys?.total === 0 && <p className="faint">None is in the log; old ones leave it after the retention time.</p>}
      <ol className={classes['deploys']}>
        {deploys?.data.map((row) => (
          <li key={row.id}>
            <StatusBadge look={lookOf(OPERATION_LOOK, row.state)} />
            <span className="cut">{row.message}</span>
            <Link to={paths.operation(env, row.id)}>
              <span className="visually-hidden">Log of “{row.message}”, </span>
              <RelativeTime at={row.createdAt} />
            </Link>
          </li>
        ))}
      </ol>
    </div>
  );
}
