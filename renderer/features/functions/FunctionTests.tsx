import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { FunctionDetail, FunctionTestList, FunctionTestResult } from '../../api/contract.ts';
import { desktopBridge } from '../../api/desktop-bridge.ts';
import { useRunFunctionTests, useUpdateFunctionTest } from '../../api/functions/functions-mutations.ts';
import { functionTestsQueryOptions } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { DraggableFile } from '../../components/form/DraggableFile.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { Banner } from '../../components/page/Banner.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useShell } from '../../components/shell-context.ts';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import { lookOf, TEST_LOOK } from '../../lib/status.ts';
import classes from './FunctionTests.module.css';

const CodeDiff = lazy(async () => ({ default: (await import('../../components/code/CodeDiff.tsx')).CodeDiff }));

/** Recorded runs of the function, replayed against its live version without network access. */
export function FunctionTests({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const { data: found, error, refetch } = useQuery(functionTestsQueryOptions(env, data));
  const run = useRunFunctionTests(data);
  if (error && !found) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!found) return null;
  if (found.tests.length === 0) return <NoTests data={data} problem={found.problem} />;
  const start = (path: string | undefined): void => run.mutate(path);
  return (
    <div className="scroll" style={{ padding: '16px var(--hp-gutter)' }}>
      <header className="row at-top wrap between" style={{ gap: '8px 24px' }}>
        <div>
          <h2>Recorded runs</h2>
          <p className="soft" style={{ margin: '4px 0 0' }}>
            Each is replayed against {data.version === null ? 'the live version' : `version ${data.version}`}. Nothing
            goes over the network and nothing is stored.
          </p>
        </div>
        <Button
          leftSection={<IconPlayerPlay size={14} stroke={1.6} aria-hidden />}
          loading={run.isPending && run.variables === undefined}
          disabled={run.isPending}
          onClick={() => start(undefined)}
        >
          Run all
        </Button>
      </header>
      <ul className="line-above" style={{ margin: '12px 0 0' }} aria-label="Recorded runs">
        {found.tests.map((test) => (
          <TestRow
            key={test.path}
            data={data}
            test={test}
            isRunning={run.isPending && (run.variables === undefined || run.variables === test.path)}
            isBusy={run.isPending}
            onRun={() => start(test.path)}
          />
        ))}
      </ul>
      <GeneratedTest data={data} path={found.generatedTest} />
    </div>
  );
}

function NoTests({ data, problem }: { data: FunctionDetail; problem: string | null }) {
  const { openPlayground } = useShell();
  const { integrationKey, name, type } = data;
  const canRun = problem === null && type !== 'on-event';
  return (
    <EmptyState
      title="No recorded run"
      text={
        problem ??
        (type === 'on-event'
          ? `Record a run with "homeport dryrun ${name} <connection id> --save".`
          : 'Run the function in the playground and choose “Save as fixture”. The run is then repeated here without the network.')
      }
    >
      {canRun && (
        <Button onClick={() => openPlayground({ kind: type === 'sync' ? 'sync' : 'action', integrationKey, name })}>
          Open playground
        </Button>
      )}
    </EmptyState>
  );
}

interface TestRowProps {
  data: FunctionDetail;
  test: FunctionTestList['tests'][number];
  isRunning: boolean;
  isBusy: boolean;
  onRun: () => void;
}

function TestRow({ data, test, isRunning, isBusy, onRun }: TestRowProps) {
  const { path, isLegacy, lastResult } = test;
  const desktop = desktopBridge();
  return (
    <li className="line-below">
      <div className={`grid gap-12 middle ${classes['row']}`}>
        <span aria-live="polite">
          <StatusBadge look={lookOf(TEST_LOOK, isRunning ? 'running' : (lastResult?.outcome ?? 'none'))} />
        </span>
        <code className="cut" title={path}>
          {path}
        </code>
        {isLegacy && <span className="faint">Old layout</span>}
        {lastResult && (
          <span className="faint">
            {formatDuration(lastResult.tookMs)}, <RelativeTime at={lastResult.at} />
          </span>
        )}
        {desktop && (
          <DraggableFile
            label={`Show ${path} in its folder`}
            onClick={async () => void (await desktop.showItemInFolder(path))}
            onDrag={async () => void (await desktop.startDrag({ path }))}
          />
        )}
        <Button size="xs" variant="default" disabled={isBusy} onClick={onRun} aria-label={`Run ${path}`}>
          Run
        </Button>
      </div>
      {lastResult && !isRunning && <Result data={data} result={lastResult} />}
    </li>
  );
}

function Result({ data, result }: { data: FunctionDetail; result: FunctionTestResult }) {
  const update = useUpdateFunctionTest(data);
  const { actualId, code, differences, message, path, unsent } = result;
  const takeOver = (id: string): void =>
    update.mutate(
      { path, actualId: id },
      {
        onSuccess: () => notifyDone(`Updated ${path}`),
      },
    );
  return (
    <div className={`stack gap-12 ${classes['result']}`} style={{ padding: '0 0 16px' }}>
      {message !== null && (
        <p className={result.outcome === 'passed' ? 'soft' : 'bad'}>
          {message} {code && <code>{code}</code>}
        </p>
      )}
      {unsent.length > 0 && (
        <p className="soft">
          Recorded and not sent this time: <code>{unsent.join(', ')}</code>
        </p>
      )}
      {differences.map(({ what, expected, actual, isCut }) => (
        <section key={what} aria-label={`Difference of ${what}`}>
          <h3>
            <code>{what}</code> <span className="faint">recorded → this run{isCut && ', the first 500 kB'}</span>
          </h3>
          <div className="scroll frame" style={{ maxHeight: 360, marginTop: 8 }}>
            <Suspense fallback={<PartLoading />}>
              <CodeDiff before={expected} after={actual} label={what} isJson />
            </Suspense>
          </div>
        </section>
      ))}
      {actualId !== null && (
        <Banner
          tone="warn"
          actions={
            <Button size="xs" variant="default" loading={update.isPending} onClick={() => takeOver(actualId)}>
              Update from this run
            </Button>
          }
        >
          Is the new result right? Updating writes it into the file as the expected result; recorded responses stay.
        </Banner>
      )}
    </div>
  );
}

/** The generated file is run by the author's own test runner; the hub does not run it, as it may contain any code. */
function GeneratedTest({ data, path }: { data: FunctionDetail; path: string | null }) {
  const flag = data.type === 'sync' ? '-s' : '-a';
  if (data.type === 'on-event') return null;
  return (
    <section className={classes['generated']} style={{ paddingTop: 24 }} aria-label="Test file">
      <h2>Test file</h2>
      <p className="soft">
        {path === null
          ? 'None yet. This command, in the functions folder, writes one for Vitest from the recorded run:'
          : 'Generated from the recorded run. Run it with Vitest, in the functions folder:'}
      </p>
      <CopyRow
        value={
          path === null
            ? `homeport generate:tests -i ${data.integrationKey} ${flag} ${data.name}`
            : `npx vitest run ${path}`
        }
        label="Copy command"
      />
    </section>
  );
}
