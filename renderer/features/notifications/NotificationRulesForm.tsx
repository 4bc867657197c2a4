import { Button, Group, NativeSelect, NumberInput, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { NotificationChannel, NotificationKind, NotificationRules } from '../../api/contract.ts';
import { useChangeRules } from '../../api/notifications/notifications-mutations.ts';
import { notificationRulesQueryOptions } from '../../api/notifications/notifications-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { playNotificationSound } from '../../lib/notification-sound.ts';
import { paths } from '../../lib/paths.ts';
import classes from './Notifications.module.css';

const KINDS: ReadonlyArray<{ kind: NotificationKind; label: string }> = [
  { kind: 'sign-in', label: 'Sign-in needed' },
  { kind: 'sync', label: 'Sync keeps failing' },
  { kind: 'webhook', label: 'Webhook not accepted' },
  { kind: 'approval', label: 'Question for you' },
  { kind: 'function', label: 'Function broke on save' },
  { kind: 'access', label: 'New app or program' },
  { kind: 'update', label: 'Update ready' },
  { kind: 'disk', label: 'Disk nearly full' },
  { kind: 'view', label: 'Saved view of the log' },
  { kind: 'drift', label: 'Provider answers differently' },
  { kind: 'destination', label: 'Records do not reach a destination' },
  { kind: 'snapshot', label: 'Parquet files are not up to date' },
];
const CHANNELS: Array<{ value: NotificationChannel; label: string }> = [
  { value: 'native', label: 'Window and system' },
  { value: 'window', label: 'In the window' },
  { value: 'off', label: 'Off' },
];
const NIGHT = { from: '22:00', to: '07:00' };
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** What causes notifications, and how they are delivered; every change is saved at once. */
export function NotificationRulesForm() {
  const env = useEnv();
  const { data: rules } = useQuery(notificationRulesQueryOptions(env));
  const change = useChangeRules();
  if (!rules) return null;
  const set = (part: Partial<NotificationRules>): void => change.mutate({ ...rules, ...part });
  const { quietHours } = rules;
  const setHours = (part: Partial<typeof NIGHT>): void => {
    const next = { ...(quietHours ?? NIGHT), ...part };
    if (TIME.test(next.from) && TIME.test(next.to)) set({ quietHours: next });
  };
  return (
    <section className={`card ${classes['rules']}`} style={{ minWidth: 0 }} aria-label="Rules">
      <h2>What you are notified of</h2>
      {KINDS.map(({ kind, label }) => (
        <div key={kind} className={`row between ${classes['rule']}`}>
          <span>{label}</span>
          <NativeSelect
            aria-label={label}
            size="xs"
            data={CHANNELS}
            value={rules.kinds[kind]}
            onChange={(event) =>
              set({ kinds: { ...rules.kinds, [kind]: event.currentTarget.value as NotificationChannel } })
            }
          />
        </div>
      ))}
      {rules.views.map((view) => (
        <div
          key={view.name}
          className={`row between ${classes['rule']}`}
          style={{ paddingLeft: 12, borderLeft: '2px solid var(--hp-border)' }}
        >
          <Link className="cut" to={paths.logs(env, { ...view.filter } as Record<string, string>)}>
            {view.name}
          </Link>
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Do not notify of ${view.name}`}
            onClick={() => set({ views: rules.views.filter((one) => one !== view) })}
          >
            Remove
          </Button>
        </div>
      ))}
      {rules.views.length === 0 && (
        <p className={`soft note breaks ${classes['text']}`}>
          Choose “Notify me” in the menu of a saved view to be notified of its operations.
        </p>
      )}
      <div className={`row between ${classes['rule']}`}>
        <span>Failures in a row of a sync</span>
        <NumberInput
          aria-label="Failures in a row"
          size="xs"
          w={72}
          min={1}
          max={100}
          allowDecimal={false}
          value={rules.syncFailures}
          onBlur={(event) => {
            const failures = Number(event.currentTarget.value);
            if (failures >= 1 && failures <= 100 && failures !== rules.syncFailures) set({ syncFailures: failures });
          }}
        />
      </div>
      <div className={`row between ${classes['rule']}`}>
        <Switch
          label="A sound with system notifications"
          size="xs"
          checked={rules.hasSound}
          onChange={(event) => {
            const hasSound = event.currentTarget.checked;
            if (hasSound) void playNotificationSound();
            set({ hasSound });
          }}
        />
      </div>
      <div className={`row between ${classes['rule']}`}>
        <Switch
          label="Quiet hours: no system notifications"
          size="xs"
          checked={quietHours !== null}
          onChange={(event) => set({ quietHours: event.currentTarget.checked ? NIGHT : null })}
        />
      </div>
      {quietHours !== null && (
        <Group gap={8}>
          <TextInput
            aria-label="Quiet from"
            type="time"
            size="xs"
            defaultValue={quietHours.from}
            onChange={(event) => setHours({ from: event.currentTarget.value })}
          />
          to
          <TextInput
            aria-label="Quiet until"
            type="time"
            size="xs"
            defaultValue={quietHours.to}
            onChange={(event) => setHours({ to: event.currentTarget.value })}
          />
        </Group>
      )}
    </section>
  );
}
