import { Button, Checkbox } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { FunctionDetail, FunctionVersion } from '../../api/contract.ts';
import { useRestoreVersion } from '../../api/functions/functions-mutations.ts';
import {
  functionDeploysQueryOptions,
  functionQueryOptions,
  functionVersionsQueryOptions,
  versionSourceQueryOptions,
} from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { notifyDone } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { ApiError } from '../../lib/api-error.ts';
import { paths } from '../../lib/paths.ts';
import { operationLook } from '../../lib/status.ts';
import classes from './FunctionPage.module.css';

const CodeDiff = lazy(async () => ({
  default: (await import('../../components/code/CodeDiff.tsx')).CodeDiff,
}));

const ORIGINS = {
  workspace: 'Functions folder',
  repo: 'Project deploy',
  standalone: 'API deploy',
};

/** One side of a comparison: a version that was live, or the file as it is now. */
interface Side {
  id: number | 'file';
  name: string;
  version: FunctionVersion | undefined;
}

/** The versions that were live, a comparison of any two, and the history of deployments. */
export function FunctionVersions({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const { version, runningCode } = data;
  const versions = useQuery(functionVersionsQueryOptions(env, data));
  if (versions.error && !versions.data)
    return <ErrorPanel error={versions.error} onRetry={() => void versions.refetch()} />;
  const sides: Side[] = (versions.data ?? []).map((one) => ({
    id: one.id,
    name: one.version,
    version: one,
  }));
  if (runningCode !== null) sides.unshift({ id: 'file', name: 'Saved file', version: undefined });
  return (
    <div className={`scroll ${classes['versions']}`} style={{ padding: '16px var(--hp-gutter)' }}>
      <h2>{version === null ? 'No version runs' : `Version ${version} runs`}</h2>
      {version !== null && (
        <p className="soft">
          {runningCode === null ? 'The file is the same.' : 'The saved file differs from it.'} The newest 20 versions
          are kept.{data.origin !== 'workspace' && ' Deploy an earlier one from where this one came.'}
        </p>
      )}
      {sides.length > 0 && <Comparison data={data} sides={sides} />}
      <Deployments data={data} />
    </div>
  );
}

/** The two selected versions beside the list in which they are selected; newest first. */
function Comparison({ data, sides }: { data: FunctionDetail; sides: Side[] }) {
  // Undefined: the newest two, including versions that are deployed later.
  const [chosen, setChosen] = useState<Array<Side['id']>>();
  const ticked = (chosen ?? sides.slice(0, 2).map(({ id }) => id)).filter((id) => sides.some((side) => side.id === id));
  const restore = useRestore(data);
  const [after, before] = sides.filter(({ id }) => ticked.includes(id));
  // Selecting a third one deselects the one that was selected first.
  const toggle = (id: Side['id']): void =>
    setChosen(ticked.includes(id) ? ticked.filter((one) => one !== id) : [...ticked, id].slice(-2));
  return (
    <>
      <ul
        className={`scroll ${classes['versionList']}`}
        style={{ maxHeight: 240, margin: '12px 0 0' }}
        aria-label="Versions"
      >
        {sides.map((side) => (
          <li className="grid gap-12 line-below middle" key={side.id}>
            <Checkbox label={side.name} checked={ticked.includes(side.id)} onChange={() => toggle(side.id)} />
            <span className="soft cut">{side.version ? ORIGINS[side.version.origin] : 'Not live'}</span>
            {side.version ? <RelativeTime at={side.version.at} /> : <span />}
            {canBeRestored(data, sides, side) && (
              <Button size="compact-sm" variant="subtle" onClick={() => restore.ask(side.version)}>
                Restore<span className="visually-hidden"> {side.name}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {before && after ? (
        <Difference key={`${before.id} ${after.id}`} {...{ data, before, after }} />
      ) : (
        <p className="faint">
          {sides.length === 1 ? 'Nothing has replaced this version yet.' : 'Tick two versions to compare them.'}
        </p>
      )}
      {restore.dialog}
    </>
  );
}

/** The newest version is the file already, unless the file was changed since or is missing. */
function canBeRestored(
  { fileHash, origin }: FunctionDetail,
  sides: readonly Side[],
  side: Side,
): side is Side & { version: FunctionVersion } {
  if (origin !== 'workspace' || !side.version) return false;
  return side !== sides[0] || fileHash === null;
}

/** Asks before a former version replaces the file, and again when the file is not the one that the page shows. */
function useRestore(data: FunctionDetail) {
  const env = useEnv();
  const client = useQueryClient();
  const { mutateAsync } = useRestoreVersion(data);
  const confirm = useConfirm();
  const write = async ({ id, version }: FunctionVersion, replaces: string | null): Promise<void> => {
    await mutateAsync({ versionId: id, replaces });
    notifyDone(`${version} is restored`);
  };
  const ask = (version: FunctionVersion): void => {
    const kept = data.runningCode === null ? 'What it replaces' : 'The saved file, which is not live,';
    confirm.ask({
      title: `Restore ${version.version}?`,
      text: `It is written to ${data.file} and deployed at once. Files that it imports stay as they are. ${kept} stays in this list, so you can go back.`,
      action: 'Restore',
      isHarmless: true,
      run: async () => {
        try {
          await write(version, data.fileHash);
        } catch (error) {
          if (!(error instanceof ApiError && error.status === 409)) throw error;
          const { fileHash } = await client.fetchQuery({ ...functionQueryOptions(env, data), staleTime: 0 });
          if (fileHash === data.fileHash) throw error;
          confirm.ask({
            title: 'The file was changed on the disk',
            text: `${data.file} is not the one that this page showed. Replace it all the same? It is kept in this list.`,
            action: 'Replace it',
            run: () => write(version, fileHash),
          });
        }
      },
    });
  };
  return { ask, dialog: confirm.dialog };
}

function Difference({ data, before, after }: { data: FunctionDetail; before: Side; after: Side }) {
  const older = useSource(data, before);
  const newer = useSource(data, after);
  const error = older.error ?? newer.error;
  if (error) return <ErrorPanel error={error} />;
  if (older.code === undefined || newer.code === undefined) return null;
  const title = `${before.name} → ${after.name}`;
  return (
    <section aria-label="Difference">
      <h3 style={{ margin: '16px 0 0' }}>{title}</h3>
      {older.code === newer.code ? (
        <p className="soft">This file is the same in both. What it imports, or the compiler, changed.</p>
      ) : (
        <div className="scroll frame" style={{ maxHeight: 480, marginTop: 8 }}>
          <Suspense fallback={<PartLoading />}>
            <CodeDiff before={older.code} after={newer.code} label={`${data.file}, ${title}`} />
          </Suspense>
        </div>
      )}
    </section>
  );
}

function useSource(data: FunctionDetail, { id }: Side): { code: string | undefined; error: Error | null } {
  const env = useEnv();
  const isFile = id === 'file';
  const { data: source, error } = useQuery({
    ...versionSourceQueryOptions(env, data, isFile ? 0 : id),
    enabled: !isFile,
  });
  return isFile ? { code: data.code, error: null } : { code: source, error };
}

function Deployments({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const { data: deploys } = useQuery(functionDeploysQueryOptions(env, data));
  return (
    <>
      <h2>Deployments</h2>
      {deploys?.total === 0 && (
        <p className="faint">The log has none. Old deployments are deleted after the retention time.</p>
      )}
      <ol className={`pt-4 ${classes['deploys']}`}>
        {deploys?.data.map((row) => (
          <li className="grid gap-12 line-below middle" key={row.id}>
            <StatusBadge look={operationLook(row)} />
            <span className="cut">{row.message}</span>
            <Link className="small right" to={paths.operation(env, row.id)}>
              <span className="visually-hidden">Log of “{row.message}”, </span>
              <RelativeTime at={row.createdAt} />
            </Link>
          </li>
        ))}
      </ol>
    </>
  );
}
