import { Select } from '@mantine/core';
import type { EnvironmentSettingsAnswer } from '../../api/contract.ts';
import { FUNCTION_LOG_LEVELS } from '../../lib/log-levels.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { useSettingsSection } from './use-settings-section.ts';

/** The option for no level. */
const DEFAULT = 'default';

const LEVELS = [{ value: DEFAULT, label: 'Default of the program' }, ...FUNCTION_LOG_LEVELS];

export function LogLevelSettings({ settings }: { settings: EnvironmentSettingsAnswer }) {
  const section = useSettingsSection('Log level', { level: settings.log_level ?? DEFAULT }, ({ level }) => ({
    log_level: level === DEFAULT ? null : (level as EnvironmentSettingsAnswer['log_level']),
  }));
  return (
    <SettingsForm id="log-level" title="Log level" section={section}>
      <Select
        label="Log level of functions"
        description="What functions write below this level is not recorded. A connection may have a level of its own. The program’s default is warn, unless it was started with another."
        data={LEVELS}
        value={section.value.level}
        error={section.errors['log_level']}
        onChange={(level) => section.change({ level: level ?? DEFAULT })}
      />
    </SettingsForm>
  );
}
