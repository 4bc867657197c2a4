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
  { name: 'records_prune_days', label: 'Empty records', what: 'Contents of records that did not change', start: 30 },
  {
    name: 'records_delete_days',
    label: 'Delete records',
    what: 'Records of models whose sync did not run',
    start: 60,
  },
];

export function RetentionSettings({ settings }: { settings: EnvironmentSettings }) {
  const section = useSettingsSection('Retention', mapDays(settings.retention, textOf), (draft) => ({
    retention: mapDays(draft, (days) => (days === null ? null : Number(days))),
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

const textOf = (days: number | null): string | null => (days === null ? null : String(days));

function mapDays<From, To>(days: Record<Name, From>, change: (value: From) => To): Record<Name, To> {
  const changed = KINDS.map(({ name }) => [name, change(days[name])]);
  return Object.fromEntries(changed) as Record<Name, To>;
}
