import { Group, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { EnvironmentSettingsResponse } from '../../api/contract.ts';
import { dataQueryOptions } from '../../api/hub/hub-queries.ts';
import { formatBytes } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { useSettingsSection } from './use-settings-section.ts';

type Name = keyof EnvironmentSettingsResponse['retention'];

interface Kind {
  name: Name;
  label: string;
  what: string;
  /** The initial value when it is switched on. */
  start: number;
  /** The unit, where it is not days. */
  limit?: { label: string; off: string; unit: string; before: string; min: number; max: number };
}

const KINDS: Kind[] = [
  { name: 'logs_days', label: 'Delete logs', what: 'Operations and their messages', start: 15 },
  {
    name: 'logs_megabytes',
    label: 'Limit logs',
    what: 'Approximate size on the disk. The oldest are deleted first',
    start: 1024,
    limit: {
      label: 'Most megabytes of logs',
      off: 'Logs have no size limit.',
      unit: 'MB',
      before: 'to',
      min: 10,
      max: 1_000_000,
    },
  },
  { name: 'webhooks_days', label: 'Delete webhooks', what: 'Webhooks with their bodies and responses', start: 7 },
  { name: 'records_prune_days', label: 'Prune records', what: 'Contents of records that did not change', start: 30 },
  {
    name: 'records_delete_days',
    label: 'Delete records',
    what: 'Records of models whose sync did not run',
    start: 60,
  },
];

export function RetentionSettings({ settings }: { settings: EnvironmentSettingsResponse }) {
  const section = useSettingsSection('Retention', mapDays(settings.retention, textOf), (draft) => ({
    retention: mapDays(draft, (days) => (days === null ? null : Number(days))),
  }));
  const { value, change, errors } = section;
  return (
    <SettingsForm
      id="retention"
      title="Retention"
      lead="Older data, and data above the limit, is deleted within the hour."
      section={section}
    >
      <Sizes />
      {KINDS.map(({ name, label, what, start, limit }) => {
        const days = value[name];
        return (
          <Group key={name} gap="8px 16px" align="flex-start" justify="space-between" mih={40}>
            <Switch
              label={label}
              description={days === null ? (limit?.off ?? `${what} are kept forever.`) : what}
              checked={days !== null}
              onChange={(event) => change({ [name]: event.currentTarget.checked ? String(start) : null })}
            />
            {days !== null && (
              <TextInput
                aria-label={limit?.label ?? `${label} after days`}
                type="number"
                min={limit?.min ?? 1}
                max={limit?.max ?? 3650}
                w={152}
                leftSection={<span className="soft">{limit?.before ?? 'after'}</span>}
                leftSectionWidth={44}
                rightSection={<span className="soft">{limit?.unit ?? 'days'}</span>}
                rightSectionWidth={44}
                value={days}
                error={errors[`retention.${name}`]}
                onChange={(event) => change({ [name]: event.currentTarget.value })}
              />
            )}
          </Group>
        );
      })}
    </SettingsForm>
  );
}

/** Their scope: all environments, which share the database. */
function Sizes() {
  const { data } = useQuery(dataQueryOptions());
  if (!data) return null;
  const { logs, records, webhooks } = data.disk;
  return (
    <p className="faint small pt-4 flex wrap" style={{ gap: '4px 16px' }}>
      <span>{`Logs take ${formatBytes(logs)}, webhooks ${formatBytes(webhooks)}, records ${formatBytes(records)}, all environments together.`}</span>
      <Link to={paths.appSettings('data')}>Size by table</Link>
    </p>
  );
}

const textOf = (days: number | null): string | null => (days === null ? null : String(days));

function mapDays<From, To>(days: Record<Name, From>, change: (value: From) => To): Record<Name, To> {
  const changed = KINDS.map(({ name }) => [name, change(days[name])]);
  return Object.fromEntries(changed) as Record<Name, To>;
}
