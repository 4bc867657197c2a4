import { Button } from '@mantine/core';
import { IconEye, IconEyeOff, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ConnectionDetail, PlaygroundRun } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useStartRun } from '../../api/playground/playground-mutations.ts';
import { playgroundRunQueryOptions } from '../../api/playground/playground-queries.ts';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { SnippetBox } from '../../components/code/SnippetBox.tsx';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { useShownSecret } from '../../components/form/use-shown-secret.ts';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { describeError } from '../../lib/api-error.ts';
import { callSnippets } from '../../lib/call-snippets.ts';
import { formatDuration } from '../../lib/format-time.ts';
import { isJson } from '../../lib/json-digits.ts';
import { lookOf, OPERATION_LOOK } from '../../lib/status.ts';
import { NeedsConnection, useFirstConnection } from './ConnectStep.tsx';
import type { StepProps } from './step-props.ts';
import classes from './WelcomeStep.module.css';

/** Sends a request to the provider through Homeport, as an app would. */
export function CallStep(props: StepProps) {
  const connection = useFirstConnection(props.firstRun);
  return (
    <>
      <h1 ref={props.heading} tabIndex={-1}>
        Make the first call
      </h1>
      <p className={`soft ${classes['lead']}`}>
        Your app calls Homeport with its own key. Homeport adds the credentials and calls the provider, so that your app
        needs no token.
      </p>
      {connection ? <Call {...props} connection={connection} /> : <NeedsConnection go={props.go} />}
    </>
  );
}

function Call({ connection, onDone, problem, setProblem }: StepProps & { connection: ConnectionDetail }) {
  const env = useEnv();
  const { integrationKey, connectionId, provider } = connection;
  const [endpoint, setEndpoint] = useState(provider.startsWith('practice') ? '/v1/issues?limit=2' : '');
  const [runId, setRunId] = useState<string>();
  const start = useStartRun(OWN_ERROR);
  const run = useQuery(playgroundRunQueryOptions(env, runId)).data;
  const isBusy = start.isPending || run?.state === 'running';
  const send = (): void => {
    if (endpoint.trim() === '' || isBusy) return;
    setProblem(undefined);
    start.mutate(
      { kind: 'proxy', integrationKey, connectionId, method: 'GET', endpoint: endpoint.trim() },
      { onSuccess: ({ id }) => setRunId(id), onError: (error) => setProblem(describeError(error)) },
    );
  };
  const isAnswered = run?.state === 'success';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each response.
  useEffect(() => {
    if (isAnswered) onDone();
  }, [isAnswered, runId]);
  return (
    <>
      <form
        className={`flex gap-8 at-bottom ${classes['request']}`}
        aria-label="Request"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <CodeInput
          label="Path at the provider"
          placeholder="/v1/users?limit=2"
          leftSection={<span className="soft mono">GET</span>}
          leftSectionWidth={48}
          value={endpoint}
          onChange={(event) => setEndpoint(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant={isAnswered ? 'default' : 'filled'}
          loading={isBusy}
          disabled={endpoint.trim() === ''}
          leftSection={<IconPlayerPlay size={14} stroke={1.6} aria-hidden />}
        >
          {run ? 'Run again' : 'Run'}
        </Button>
      </form>
      {problem && <ErrorPanel error={problem} onRetry={send} />}
      <div className={`grid ${classes['beside']}`}>
        <CallCode endpoint={endpoint} connection={connection} />
        <Response run={run} onRetry={send} />
      </div>
    </>
  );
}

/** The same call as code; on request with the secret key in it for half a minute. */
function CallCode({ endpoint, connection }: { endpoint: string; connection: ConnectionDetail }) {
  const apiUrl = useQuery(metaQueryOptions()).data?.apiUrl ?? '';
  const reveal = useReveal();
  const [secretKey, setSecretKey] = useShownSecret();
  const { integrationKey, connectionId } = connection;
  const snippets = callSnippets({
    apiUrl,
    integrationKey,
    connectionId,
    call: { kind: 'proxy', method: 'GET', endpoint, headers: {}, body: undefined },
    secretKey,
  });
  const toggle = (): void => {
    if (secretKey !== undefined) setSecretKey(undefined);
    else reveal.mutate({ kind: 'secret_key' }, { onSuccess: setSecretKey });
  };
  return (
    <section className={classes['panel']} aria-label="From your app">
      <header className="row wrap small">
        <h2>From your app</h2>
        <Button
          size="xs"
          variant="subtle"
          leftSection={
            secretKey === undefined ? (
              <IconEye size={14} stroke={1.6} aria-hidden />
            ) : (
              <IconEyeOff size={14} stroke={1.6} aria-hidden />
            )
          }
          onClick={toggle}
        >
          {secretKey === undefined ? 'Show it with the key' : 'Hide the key'}
        </Button>
      </header>
      {reveal.error && <ErrorPanel error={reveal.error} onRetry={toggle} />}
      <SnippetBox snippets={snippets} />
    </section>
  );
}

function Response({ run, onRetry }: { run: PlaygroundRun | undefined; onRetry: () => void }) {
  return (
    <section className={classes['panel']} aria-label="Response">
      <header className="row wrap small" aria-live="polite">
        <h2>Response</h2>
        {run && <StatusBadge look={lookOf(OPERATION_LOOK, run.state)} />}
        {run?.response && <span className="soft">HTTP {run.response.status}</span>}
        {run?.durationMs != null && <span className="soft">{formatDuration(run.durationMs)}</span>}
      </header>
      {!run && <p className="soft">Press Run to see the response of the provider here.</p>}
      {run?.error && <ErrorPanel error={run.error} onRetry={onRetry} />}
      {run?.response && <Body text={run.response.body} />}
    </section>
  );
}

function Body({ text }: { text: string }) {
  return isJson(text) ? (
    <JsonViewer json={text} label="response" height={320} isPlain />
  ) : (
    <pre className="scroll" style={{ maxHeight: 320, whiteSpace: 'pre-wrap' }}>
      {text || 'The response is empty.'}
    </pre>
  );
}
