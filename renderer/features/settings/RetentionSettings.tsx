import { Switch, TextInput } from '@mantine/core';
import type { EnvironmentSettings } from '../../api/contract.ts';
import classes from './EnvironmentSettings.module.css';
import { SettingsForm } from './SettingsForm.tsx';
import { useSettingsSection } from './use-settings-section.ts';

type Name = keyof EnvironmentSettings['retention'];

/** `start`: days to begin with when deleting is switched on. */
const KINDS: { name: Name; label: string; what: string; start: number }[] = [
  { name: 'logs_days', label: 'Delete logs', what: 'Operations and their messages', start: 15 },
  { name: 'webhooks_days', label: 'Delete webhooks', what: 'Webhooks with their bodies and answers', start: 7 },
];

/** Days as they are typed; null keeps for good. */
type Draft = Record<Name, string | null>;

export function RetentionSettings({ settings }: { settings: EnvironmentSettings }) {
  const { logs_days, webhooks_days } = settings.retention;
  const text = (days: number | null): string | null => (days === null ? null : String(days));
  const number = (days: string | null): number | null => (days === null ? null : Number(days));
  const stored: Draft = { logs_days: text(logs_days), webhooks_days: text(webhooks_days) };
  const section = useSettingsSection('Retention', stored, (draft) => ({
    retention: { logs_days: number(draft.logs_days), webhooks_days: number(draft.webhooks_days) },
  }));
  const { value, change, errors } = section;
  return (
    <SettingsForm id="retention" title="Retention" lead="What is older is deleted within the hour." section={section}>
      {KINDS.map(({ name, label, what, start }) => {
        const days = value[name];
        return (
          <div key={name} className={classes['kept']}>
            <Switch
              label={label}
              description={days === null ? `${what} are kept for good.` : what}
              checked={days !== null}
              onChange={(event) => change({ [name]: event.currentTarget.checked ? String(start) : null })}
            />
            {days !== null && (
              <TextInput
                aria-label={`${label} after days`}
                type="number"
                min={1}
                max={3650}
                w={152}
                leftSection={<span className="soft">after</span>}
                leftSectionWidth={44}
                rightSection={<span className="soft">days</span>}
                rightSectionWidth={44}
                value={days}
                error={errors[`retention.${name}`]}
                onChange={(event) => change({ [name]: event.currentTarget.value })}
              />
            )}
          </div>
        );
      })}
    </SettingsForm>
  );
}
