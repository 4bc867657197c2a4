import { Select } from '@mantine/core';
import type { EnvironmentSettingsResponse } from '../../api/contract.ts';
import { FUNCTION_LOG_LEVELS } from '../../lib/log-levels.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { useSettingsSection } from './use-settings-section.ts';

/** The option for no level. */
const DEFAULT = 'default';

const LEVELS = [{ value: DEFAULT, label: 'Default' }, ...FUNCTION_LOG_LEVELS];

export function LogLevelSettings({ settings }: { settings: EnvironmentSettingsResponse }) {
  const section = useSettingsSection('Log level', { level: settings.log_level ?? DEFAULT }, ({ level }) => ({
    log_level: level === DEFAULT ? null : (level as EnvironmentSettingsResponse['log_level']),
  }));
  return (
    <SettingsForm id="log-level" title="Log level" section={section}>
      <Select
        label="Log level of functions"
        description="Messages of functions below this level are not recorded. A connection can have its own level. The default is warn, unless Homeport was started with another level."
        data={LEVELS}
        value={section.value.level}
        error={section.errors['log_level']}
        onChange={(level) => section.change({ level: level ?? DEFAULT })}
      />
    </SettingsForm>
  );
}
