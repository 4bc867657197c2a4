import { Anchor, Button, Tabs, UnstyledButton } from '@mantine/core';
import { IconAlertCircleFilled, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link, useParams } from 'react-router';
import type { FunctionDetail, ShownFunctionType } from '../../api/contract.ts';
import { useToggleFunction } from '../../api/functions/functions-mutations.ts';
import { type FunctionRef, functionQueryOptions } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { CopyRow } from '../../components/CopyRow.tsx';
import { CodeText } from '../../components/code/CodeText.tsx';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { EnabledSwitch } from '../../components/function/EnabledSwitch.tsx';
import { PlaygroundButton } from '../../components/function/PlaygroundButton.tsx';
import { SchemaView } from '../../components/json/SchemaView.tsx';
import { PinButton } from '../../components/PinButton.tsx';
import { Banner } from '../../components/page/Banner.tsx';
import { ErrorPage } from '../../components/page/ErrorPanel.tsx';
import { NotFoundPage } from '../../components/page/NotFoundPage.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { PanelBoundary } from '../../components/page/PanelBoundary.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlHash } from '../../components/page/use-url-hash.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { useShell } from '../../components/shell-context.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { isMissing } from '../../lib/api-error.ts';
import { formatCount } from '../../lib/format-number.ts';
import { formatDateTime, formatDuration, formatFrequency, formatSeconds } from '../../lib/format-time.ts';
import { PLAYGROUND_KINDS } from '../../lib/function-filters.ts';
import { paths } from '../../lib/paths.ts';
import { FUNCTION_LOOK, lookOf } from '../../lib/status.ts';
import { FunctionConnections } from './FunctionConnections.tsx';
import classes from './FunctionPage.module.css';
import { FunctionRequests } from './FunctionRequests.tsx';
import { FunctionRunList } from './FunctionRunList.tsx';
import { FunctionRuns } from './FunctionRuns.tsx';
import { FunctionTests } from './FunctionTests.tsx';
import { FunctionVersions } from './FunctionVersions.tsx';
import { OpenInEditor } from './OpenInEditor.tsx';

const CodeView = lazy(async () => ({ default: (await import('../../components/code/CodeView.tsx')).CodeView }));

/** Tabs that have the list of runs on their right. */
const TABS = ['code', 'input', 'output', 'runs', 'requests', 'connections', 'tests', 'versions', 'details'];
const BESIDE_RUNS = ['code', 'input', 'output'];

export function FunctionPage() {
  const env = useEnv();
  const { integrationKey = '', name = '' } = useParams();
  const named = useUrlState().get('type') ?? 'sync';
  const isKnown = named in PLAYGROUND_KINDS;
  const type = (isKnown ? named : 'sync') as ShownFunctionType;
  const reference: FunctionRef = { integrationKey, type, name };
  const { data, error, refetch } = useQuery({ ...functionQueryOptions(env, reference), enabled: isKnown });
  usePage([
    { label: 'Functions', to: paths.functions(env) },
    { label: integrationKey, to: paths.integration(env, integrationKey) },
    { label: name },
  ]);
  if (!isKnown)
    return (
      <NotFoundPage
        message={`There is no type of function “${named}”`}
        to={paths.functions(env)}
        toLabel="All functions"
      />
    );
  if (isMissing(error) && !data)
    return <NotFoundPage message={error.message} to={paths.functions(env)} toLabel="All functions" />;
  if (error && !data) return <ErrorPage title={name} error={error} onRetry={() => void refetch()} />;
  return data ? <Loaded data={data} /> : <PageSkeleton />;
}

function Loaded({ data }: { data: FunctionDetail }) {
  const [tab, setTab] = useUrlHash('code', TABS);
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
      <LastGoodBanner data={data} onGo={go} onCompare={() => setTab('versions')} />
      <Tabs value={tab} onChange={(next) => setTab(next ?? 'code')}>
        <Tabs.List>
          <Tabs.Tab value="code">
            Code
            {data.problems.length > 0 && <span className={`bad tiny ${classes['count']}`}>{data.problems.length}</span>}
          </Tabs.Tab>
          <Tabs.Tab value="input">Input</Tabs.Tab>
          <Tabs.Tab value="output">Output</Tabs.Tab>
          <Tabs.Tab value="runs">Runs</Tabs.Tab>
          <Tabs.Tab value="requests">Requests</Tabs.Tab>
          {data.type === 'sync' && <Tabs.Tab value="connections">Connections</Tabs.Tab>}
          <Tabs.Tab value="tests">Tests</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="details">Details</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <div className={`flex fills ${classes['split']}`}>
        <div className={`stack grow ${classes['main']}`}>
          <PanelBoundary resetKey={tab}>
            {tab === 'input' && <SchemaTab schema={data.inputSchema} what="input" />}
            {tab === 'output' && <SchemaTab schema={data.outputSchema} what="output" />}
            {tab === 'runs' && <FunctionRunList data={data} />}
            {tab === 'requests' && <FunctionRequests data={data} />}
            {tab === 'connections' && <FunctionConnections data={data} />}
            {tab === 'tests' && <FunctionTests data={data} />}
            {tab === 'versions' && <FunctionVersions data={data} />}
            {tab === 'details' && <FunctionDetails data={data} onConnections={() => setTab('connections')} />}
            {tab === 'code' && (
              <>
                <div className="row rigid line-below" style={{ height: 36, padding: '0 16px 0 var(--hp-gutter)' }}>
                  <code className="cut">{data.file}</code>
                  <span className="rigid at-end faint small">Read-only view</span>
                  <CopyButton value={data.code} label="Copy code" />
                </div>
                <div className="sunken" style={{ flex: 1, minHeight: 160 }}>
                  <Suspense fallback={<PartLoading />}>
                    <CodeView code={data.code} label={data.file} problems={data.problems} goTo={goTo} />
                  </Suspense>
                </div>
                <ProblemList data={data} onGo={go} />
              </>
            )}
          </PanelBoundary>
        </div>
        {BESIDE_RUNS.includes(tab) && <FunctionRuns data={data} />}
      </div>
    </>
  );
}

function FunctionHeader({ data }: { data: FunctionDetail }) {
  const env = useEnv();
  const toggle = useToggleFunction(data);
  const { openPlayground } = useShell();
  return (
    <PageHeader
      logo={<ProviderLogo provider={data.provider} name={data.integrationKey} size={36} tile />}
      title={
        <code className="strong" style={{ fontSize: 17, lineHeight: '28px' }}>
          {data.name}
        </code>
      }
      aside={
        <>
          <Tag>{data.type}</Tag>
          {data.frequency && <Tag>{formatFrequency(data.frequency)}</Tag>}
          {data.status !== 'ok' && <StatusBadge look={lookOf(FUNCTION_LOOK, data.status)} soft />}
        </>
      }
      sub={data.description}
    >
      <EnabledSwitch
        label="Enabled"
        labelPosition="left"
        name={data.name}
        type={data.type}
        isEnabled={data.isEnabled}
        isPending={toggle.isPending}
        onChange={toggle.mutateAsync}
      />
      {data.version !== null && (
        <PlaygroundButton
          onClick={() =>
            openPlayground({ kind: PLAYGROUND_KINDS[data.type], integrationKey: data.integrationKey, name: data.name })
          }
        />
      )}
      {data.path !== null && data.status !== 'file_missing' && (
        <OpenInEditor path={data.path} line={data.problem?.line ?? null} />
      )}
      <PinButton
        env={env}
        of={{ kind: 'function', integrationKey: data.integrationKey, type: data.type, name: data.name }}
      />
    </PageHeader>
  );
}

function NoIntegrationBanner({ data }: { data: FunctionDetail }) {
  if (data.provider !== null) return null;
  return (
    <div className={`gutter ${classes['banner']}`}>
      <Banner tone="warn">
        <b>There is no integration “{data.integrationKey}”.</b> The function becomes active when an integration with
        this ID is created.
      </Banner>
    </div>
  );
}

/** Says why the function does not run, and that no data is lost. */
function OffBanner({ data }: { data: FunctionDetail }) {
  const isMissing = data.status === 'file_missing';
  if (!isMissing && data.isEnabled) return null;
  return (
    <div className={`gutter ${classes['banner']}`}>
      <Banner tone="warn">
        {isMissing ? <b>The file is missing, so the function is disabled.</b> : <b>The function is disabled.</b>}{' '}
        {data.type === 'sync' && 'Its syncs, settings and records are kept. '}
        {isMissing ? 'It continues when the file is back.' : 'It continues when it is enabled.'}
      </Banner>
    </div>
  );
}

interface LastGoodBannerProps {
  data: FunctionDetail;
  onGo: (line: number) => void;
  onCompare: () => void;
}

function LastGoodBanner({ data, onGo, onCompare }: LastGoodBannerProps) {
  if (data.status !== 'compile_error') return null;
  const count = data.problems.length === 1 ? '1 problem' : `${data.problems.length} problems`;
  const line = data.problem?.line;
  const action = (
    <>
      {data.runningCode !== null && (
        <Button size="xs" variant="subtle" onClick={onCompare}>
          Compare with {data.version}
        </Button>
      )}
      {line && (
        <Button size="xs" variant="default" onClick={() => onGo(line)}>
          Go to line {line}
        </Button>
      )}
    </>
  );
  return (
    <div className={`gutter ${classes['banner']}`}>
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

/** The compiler's messages; each links to its line. */
function ProblemList({ data, onGo }: { data: FunctionDetail; onGo: (line: number) => void }) {
  const { hints, problems } = data;
  return (
    <section className="rigid scroll pb-8 line-above" style={{ maxHeight: '30%' }} aria-label="Problems">
      <div className={`row faint small gutter ${classes['problemsHead']}`} style={{ height: 32 }}>
        <h2>Problems</h2>
        <span>
          {problems.length === 0 ? 'None' : problems.length}
          {hints.length > 0 && `, ${formatCount(hints.length, 'hint')}`}
        </span>
        <span>
          {data.checkDurationMs === null ? (
            <>
              Checked <RelativeTime at={data.checkedAt} />
            </>
          ) : (
            <time dateTime={data.checkedAt} title={formatDateTime(data.checkedAt)}>
              {data.status === 'compile_error' ? 'Checked' : 'Reloaded'} {formatSeconds(new Date(data.checkedAt))} in{' '}
              {formatDuration(data.checkDurationMs)}
            </time>
          )}
        </span>
      </div>
      {[...problems, ...hints].map((one, index) => (
        <UnstyledButton
          key={`${one.line}:${one.column}:${one.message}`}
          className={`hovers row full ${classes['problem']}`}
          data-hint={index >= problems.length || undefined}
          onClick={() => one.line !== null && onGo(one.line)}
        >
          {index < problems.length ? (
            <IconAlertCircleFilled className="rigid bad" size={14} aria-hidden />
          ) : (
            <IconInfoCircle className="rigid bad" size={14} stroke={1.6} aria-label="Hint" />
          )}
          <span>
            <CodeText text={one.message} />
          </span>
          <code>{one.line === null ? '' : `${one.line}:${one.column ?? 1}`}</code>
        </UnstyledButton>
      ))}
    </section>
  );
}

function SchemaTab({ schema, what }: { schema: Record<string, unknown> | null; what: 'input' | 'output' }) {
  return (
    <div className="scroll" style={{ padding: '16px var(--hp-gutter)' }}>
      {schema ? (
        <SchemaView schema={schema} label={`${what} schema`} />
      ) : (
        <p className="faint">The function declares no {what}.</p>
      )}
    </div>
  );
}

const ORIGINS = {
  workspace: 'File of the functions folder',
  repo: 'Deployed from a repository',
  standalone: 'Deployed over the API',
};

function FunctionDetails({ data, onConnections }: { data: FunctionDetail; onConnections: () => void }) {
  const env = useEnv();
  return (
    <div className="scroll" style={{ padding: '16px var(--hp-gutter)' }}>
      <FactList wide>
        <Fact label="Integration">
          <Anchor component={Link} to={paths.integration(env, data.integrationKey)}>
            {data.integrationKey}
          </Anchor>
        </Fact>
        <Fact label="Source">{ORIGINS[data.origin]}</Fact>
        <Fact label="File">
          <CopyRow value={data.path ?? data.file} label="Copy path" />
        </Fact>
        <Fact label="Version">{data.version ?? 'None yet'}</Fact>
        {data.type === 'sync' && (
          <>
            <Fact label="Frequency">
              {data.frequency ? formatFrequency(data.frequency) : 'On request'}
              <span className="faint">Set in the code. A connection may have its own.</span>
              <Anchor component="button" type="button" onClick={onConnections}>
                Change it for connections
              </Anchor>
            </Fact>
            <Fact label="Starts automatically">{data.autoStart ? 'Yes, with each new connection' : 'No'}</Fact>
            <Fact label="Tracks deletions">{data.trackDeletes ? 'Yes' : 'No'}</Fact>
            <Fact label="Models">
              {data.models.length === 0 ? <span className="faint">None</span> : <code>{data.models.join(', ')}</code>}
            </Fact>
          </>
        )}
        <Fact label="Scopes it needs">
          {data.scopes.length === 0 && <span className="faint">None</span>}
          {data.scopes.map((scope) => (
            <Tag key={scope}>{scope}</Tag>
          ))}
        </Fact>
        <Fact label="Changed">
          <RelativeTime at={data.updatedAt} />
        </Fact>
      </FactList>
    </div>
  );
}
