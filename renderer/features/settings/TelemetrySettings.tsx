import { TextInput } from '@mantine/core';
import type { EnvironmentSettingsResponse } from '../../api/contract.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { type HeaderDraft, TelemetryHeaders } from './TelemetryHeaders.tsx';
import { TelemetryState } from './TelemetryState.tsx';
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
      <TextInput
        label="Endpoint"
        description="Base address of the collector. Homeport adds /v1/traces. Empty: nothing is sent."
        placeholder="http://localhost:4318"
        value={value.endpoint ?? ''}
        error={errors['otlp_endpoint']}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: 'mono' }}
        onChange={(event) => change({ endpoint: event.currentTarget.value.trim() || null })}
      />
      <TelemetryHeaders headers={value.headers} errors={errors} onChange={(next) => change({ headers: next })} />
      {settings.otlp_endpoint !== null && (
        <TelemetryState endpoint={settings.otlp_endpoint} isUnsaved={section.isDirty} />
      )}
    </SettingsForm>
  );
}
