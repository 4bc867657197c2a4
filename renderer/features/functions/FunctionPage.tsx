import { Button, Switch, Tabs, UnstyledButton } from '@mantine/core';
import { IconAlertCircleFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useParams } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { FunctionDetail, ShownFunctionType } from '../../api/contract.ts';
import { useToggleFunction } from '../../api/functions/functions-mutations.ts';
import { type FunctionRef, functionQueryOptions } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { Banner } from '../../components/Banner.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ErrorPanel } from '../../components/ErrorPanel.tsx';
import { JsonTree } from '../../components/JsonTree.tsx';
import { notifyError } from '../../components/notify.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { PanelBoundary } from '../../components/PanelBoundary.tsx';
import { ProviderLogo } from '../../components/ProviderLogo.tsx';
import { usePage } from '../../components/page-context.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Tag } from '../../components/Tag.tsx';
import { useUrlHash } from '../../components/use-url-hash.ts';
import { useUrlState } from '../../components/use-url-state.ts';
import { formatDuration, formatFrequency } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import { FUNCTION_LOOK, lookOf } from '../../lib/status.ts';
import classes from './FunctionPage.module.css';
import { FunctionRuns } from './FunctionRuns.tsx';

const CodeView = lazy(async () => ({ default: (await import('../../components/CodeView.tsx')).CodeView }));

export function FunctionPage() {
  const env = useEnv();
  const { integrationKey = '', name = '' } = useParams();
  const type = (useUrlState().get('type') ?? 'sync') as ShownFunctionType;
  const reference: FunctionRef = { integrationKey, type, name };
  const { data, error, refetch } = useQuery(functionQueryOptions(env, reference));
  usePage([
    { label: 'Functions', to: paths.functions(env) },
    { label: integrationKey, to: paths.integration(env, integrationKey) },
    { label: name },
  ]);
  if (error && !data) return <ErrorPanel {...describeError(error)} onRetry={() => void refetch()} />;
  return data ? <Loaded data={data} /> : null;
}

function Loaded({ data }: { data: FunctionDetail }) {
  const [tab, setTab] = useUrlHash('code');
  const [goTo, setGoTo] = useState<{ line: number; at: number }>();
  const go = (line: number): void => {
    setTab('code');
    setGoTo({ line, at: Date.now() });
  };
  return (
    <>
      <FunctionHeader data={data} />
      <OffBanner data={data} />
      <NoIntegrationBanner data={data} />
      <LastGoodBanner data={data} onGo={go} />
      <Tabs value={tab} onChange={(next) => setTab(next ?? 'code')}>
        <Tabs.List>
          <Tabs.Tab value="code">Code</Tabs.Tab>
          <Tabs.Tab value="input">Input</Tabs.Tab>
          <Tabs.Tab value="output">Output</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <div className={classes['split']}>
        <div className={classes['main']}>
          <PanelBoundary resetKey={tab}>
            {tab === 'input' && <SchemaTab schema={data.inputSchema} what="input" />}
            {tab === 'output' && <SchemaTab schema={data.outputSchema} what="output" />}
            {tab === 'code' && (
              <>
                <div className={classes['file']}>
                  <code className="cut">{data.file}</code>
                  <span className={classes['readOnly']}>Read-only view</span>
                  <CopyButton value={data.code} label="Copy code" />
                </div>
                <div className={classes['code']}>
                  <Suspense fallback={null}>
                    <CodeView code={data.code} label={data.file} problems={data.problems} goTo={goTo} />
                  </Suspense>
                </div>
                <ProblemList data={data} onGo={go} />
              </>
            )}
          </PanelBoundary>
        </div>
        <FunctionRuns data={data} />
      </div>
    </>
  );
}

function FunctionHeader({ data }: { data: FunctionDetail }) {
  const toggle = useToggleFunction(data);
  return (
    <PageHeader
      logo={<ProviderLogo provider={data.provider} name={data.integrationKey} size={36} tile />}
      title={<code className={classes['title']}>{data.name}</code>}
      aside={
        <>
          <Tag>{data.type}</Tag>
          {data.frequency && <Tag>{formatFrequency(data.frequency)}</Tag>}
          {data.status !== 'ok' && <StatusBadge look={lookOf(FUNCTION_LOOK, data.status)} soft />}
        </>
      }
      sub={data.description}
    >
      <Switch
        label="Enabled"
        labelPosition="left"
        checked={data.isEnabled}
        disabled={toggle.isPending}
        onChange={(event) =>
          toggle.mutate(event.currentTarget.checked, { onError: (error) => notifyError(describeError(error)) })
        }
      />
    </PageHeader>
  );
}

function NoIntegrationBanner({ data }: { data: FunctionDetail }) {
  if (data.provider !== null) return null;
  return (
    <div className={classes['banner']}>
      <Banner tone="warn">
        <b>There is no integration “{data.integrationKey}”.</b> The function becomes active when an integration with
        this id is created.
      </Banner>
    </div>
  );
}

/** Why it does not run, and that nothing is lost by it. */
function OffBanner({ data }: { data: FunctionDetail }) {
  const isMissing = data.status === 'file_missing';
  if (!isMissing && data.isEnabled) return null;
  return (
    <div className={classes['banner']}>
      <Banner tone="warn">
        {isMissing ? <b>The file is missing, so the function is off.</b> : <b>The function is off.</b>}{' '}
        {data.type === 'sync' && 'Its syncs, settings and records are kept. '}
        {isMissing ? 'It goes on when the file is back.' : 'It goes on when it is enabled.'}
      </Banner>
    </div>
  );
}

function LastGoodBanner({ data, onGo }: { data: FunctionDetail; onGo: (line: number) => void }) {
  if (data.status !== 'compile_error') return null;
  const count = data.problems.length === 1 ? '1 problem' : `${data.problems.length} problems`;
  const line = data.problem?.line;
  const action = line ? (
    <Button size="xs" variant="default" onClick={() => onGo(line)}>
      Go to line {line}
    </Button>
  ) : null;
  return (
    <div className={classes['banner']}>
      <Banner tone="warn" actions={action}>
        {data.version ? (
          <>
            <b>Version {data.version} keeps running.</b> The saved file has {count}, so nothing was replaced.
          </>
        ) : (
          <>
            <b>Nothing runs yet.</b> The file has {count} and no earlier version exists.
          </>
        )}
      </Banner>
    </div>
  );
}

/** What the compiler says, each leading to its line. */
function ProblemList({ data, onGo }: { data: FunctionDetail; onGo: (line: number) => void }) {
  const { problems } = data;
  return (
    <section className={classes['problems']} aria-label="Problems">
      <div className={classes['problemsHead']}>
        <h2>Problems</h2>
        <span>{problems.length === 0 ? 'None' : problems.length}</span>
        <span>
          Checked <RelativeTime at={data.checkedAt} /> in {formatDuration(data.checkDurationMs)}
        </span>
      </div>
      {problems.map(({ message, line, column }) => (
        <UnstyledButton
          key={`${line}:${column}:${message}`}
          className={classes['problem'] ?? ''}
          onClick={() => line !== null && onGo(line)}
        >
          <IconAlertCircleFilled size={14} aria-hidden />
          <span>{message}</span>
          <code>{line === null ? '' : `${line}:${column ?? 1}`}</code>
        </UnstyledButton>
      ))}
    </section>
  );
}

function SchemaTab({ schema, what }: { schema: Record<string, unknown> | null; what: 'input' | 'output' }) {
  return (
    <div className={classes['pad']}>
      {schema ? (
        <JsonTree value={schema} label={`${what} schema`} maxHeight={640} />
      ) : (
        <p className="faint">The function declares no {what}.</p>
      )}
    </div>
  );
}
