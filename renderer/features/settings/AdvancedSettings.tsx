import { NumberInput, Switch, TagsInput } from '@mantine/core';
import type { EnvironmentSettingsResponse } from '../../api/contract.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { useSettingsSection } from './use-settings-section.ts';

export function AdvancedSettings({ settings }: { settings: EnvironmentSettingsResponse }) {
  const section = useSettingsSection(
    'Advanced',
    {
      hosts: settings.allowed_hosts,
      rate: settings.rate_limit_per_minute,
      overrides: settings.allow_base_url_override,
      building: settings.agents_may_build,
    },
    ({ hosts, rate, overrides, building }, base) => ({
      allowed_hosts: hosts,
      rate_limit_per_minute: rate,
      allow_base_url_override: overrides,
      agents_may_build: building,
      known: { allowed_hosts: base.hosts },
    }),
  );
  const { value, change, errors } = section;
  const wrongHost = Object.entries(errors).find(([path]) => path.startsWith('allowed_hosts'))?.[1];
  return (
    <SettingsForm id="advanced" title="Advanced" section={section}>
      <TagsInput
        label="Further hosts that callers may reach"
        description="Proxy calls and functions that set an address themselves can reach public hosts and these. Credentials go to these hosts as to those of the integration. A name or IP address, with or without a port."
        placeholder={value.hosts.length === 0 ? 'nas.local, 10.0.0.1:8080' : ''}
        value={value.hosts}
        error={wrongHost}
        onChange={(hosts) => change({ hosts })}
      />
      <Switch
        label="Callers and functions may set a base URL"
        description="Off: every request goes to the address of its integration."
        checked={value.overrides}
        onChange={(event) => change({ overrides: event.currentTarget.checked })}
      />
      <Switch
        label="Agents may build functions"
        description="An agent with a key for it writes drafts, runs them dry and records them. Each deploy asks you, with the proof."
        checked={value.building}
        onChange={(event) => change({ building: event.currentTarget.checked })}
      />
      <NumberInput
        label="Most API calls per minute"
        description="If empty, there is no limit. Calls above the limit are refused with 429."
        min={1}
        allowDecimal={false}
        hideControls
        w={200}
        value={value.rate ?? ''}
        error={errors['rate_limit_per_minute']}
        onChange={(rate) => change({ rate: rate === '' ? null : Number(rate) })}
      />
    </SettingsForm>
  );
}
