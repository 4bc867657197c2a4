import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { EnvironmentSettingsResponse, TestSpanResponse } from '../../api/contract.ts';
import { useSendTestSpan } from '../../api/settings/settings-mutations.ts';
import { telemetryQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { Fact, FactList } from '../../components/FactList.tsx';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { formatDuration } from '../../lib/format-time.ts';
import type { StatusLook } from '../../lib/status.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { type HeaderDraft, TelemetryHeaders } from './TelemetryHeaders.tsx';
import { useSettingsSection } from './use-settings-section.ts';

/** Where operations are exported as traces, and the state of the export. */
export function TelemetrySettings({ settings }: { settings: EnvironmentSettingsResponse }) {
  const headers: HeaderDraft[] = settings.otlp_headers.map(({ name }) => ({ name, isStored: true }));
  const section = useSettingsSection('Telemetry', { endpoint: settings.otlp_endpoint, headers }, (draft, base) => ({
    otlp_endpoint: draft.endpoint,
    otlp_headers: draft.headers.map(({ name, value }) => ({ name, ...(value === undefined ? {} : { value }) })),
    known: { otlp_headers: base.headers.map(({ name }) => name) },
  }));
  const { value, change, errors } = section;
  return (
    <SettingsForm
      id="telemetry"
      title="Telemetry"
      lead="Homeport can send every operation and its requests as a trace to an OpenTelemetry collector (OTLP over HTTP): names, times, addresses and errors, with secrets masked. Headers, bodies and end users are not sent."
      section={section}
    >
      <CodeInput
        label="Endpoint"
        description="Base address of the collector. Homeport adds /v1/traces. Empty: nothing is sent."
        placeholder="http://localhost:4318"
        value={value.endpoint ?? ''}
        error={errors['otlp_endpoint']}
        onChange={(event) => change({ endpoint: event.currentTarget.value.trim() || null })}
      />
      <TelemetryHeaders headers={value.headers} errors={errors} onChange={(next) => change({ headers: next })} />
      {settings.otlp_endpoint !== null && (
        <TelemetryState endpoint={settings.otlp_endpoint} isUnsaved={section.isDirty} />
      )}
    </SettingsForm>
  );
}

const ACCEPTED: StatusLook = { label: 'Accepted', tone: 'ok', icon: 'check' };
const NOT_TAKEN: StatusLook = { label: 'Rejected', tone: 'bad', icon: 'alert' };
const WAITS: StatusLook = { label: 'Retrying', tone: 'warn', icon: 'triangle' };

/** The export to the saved endpoint since the program started, and a test span. */
function TelemetryState({ endpoint, isUnsaved }: { endpoint: string; isUnsaved: boolean }) {
  const env = useEnv();
  const { data: state } = useQuery(telemetryQueryOptions(env));
  const test = useSendTestSpan();
  // A result for an earlier endpoint does not apply to this one.
  const result = test.variables === endpoint ? test.data : undefined;
  return (
    <>
      {state && (
        <FactList wide>
          <Fact label="Last export">
            {state.lastExport ? (
              <span>
                {formatCount(state.lastExport.spans, 'span')}, <RelativeTime at={state.lastExport.at} />
              </span>
            ) : (
              <span className="faint">None since Homeport started</span>
            )}
          </Fact>
          <Fact label="Since Homeport started">
            {`${formatNumber(state.sent)} sent, ${formatNumber(state.dropped)} dropped, ${formatNumber(state.waiting)} waiting`}
          </Fact>
          {state.problem && (
            <Fact label="Last error">
              <StatusBadge look={state.problem.retryAt === null ? NOT_TAKEN : WAITS} />
              <span>{state.problem.message}</span>
              <span className="faint">
                <RelativeTime at={state.problem.at} />
              </span>
            </Fact>
          )}
        </FactList>
      )}
      <Group gap={8}>
        <Button variant="default" loading={test.isPending} disabled={isUnsaved} onClick={() => test.mutate(endpoint)}>
          Send a test span
        </Button>
        <span className="row wrap soft breaks" style={{ gap: '0 8px', minHeight: 20 }} role="status">
          {isUnsaved ? 'Save the changes first.' : result && <TestResult result={result} />}
        </span>
      </Group>
    </>
  );
}

function TestResult({ result }: { result: TestSpanResponse }) {
  const { durationMs, isAccepted, message, status, traceId } = result;
  if (!isAccepted)
    return (
      <>
        <StatusBadge look={NOT_TAKEN} />
        <span>{message}</span>
      </>
    );
  return (
    <>
      <StatusBadge look={ACCEPTED} />
      <span>{`Answered ${status} after ${formatDuration(durationMs)}. Trace`}</span>
      <code>{traceId}</code>
    </>
  );
}
