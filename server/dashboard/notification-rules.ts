import type { NotificationKind, NotificationRules } from './dashboard-notifications.contract.ts';

/** Which kinds are also native notifications by default (ui.md 13.2). */
export const DEFAULT_RULES: NotificationRules = {
  kinds: {
    'sign-in': 'native',
    sync: 'native',
    webhook: 'native',
    approval: 'native',
    function: 'window',
    access: 'window',
    update: 'window',
    disk: 'window',
    // A person switched it on for a saved view.
    view: 'native',
    drift: 'window',
    destination: 'native',
    snapshot: 'window',
  },
  syncFailures: 3,
  quietHours: null,
  hasSound: false,
  views: [],
};

/** Reads stored rules; kinds that a newer version added have their default. */
export function readRules(stored: string | undefined): NotificationRules {
  if (stored === undefined) return DEFAULT_RULES;
  const rules = JSON.parse(stored) as NotificationRules;
  return { ...DEFAULT_RULES, ...rules, kinds: { ...DEFAULT_RULES.kinds, ...rules.kinds } };
}

/** Whether the operating system shows a notification of this kind now, in this computer's time zone. */
export function isShownNatively(rules: NotificationRules, kind: NotificationKind, now: number): boolean {
  return rules.kinds[kind] === 'native' && !isQuiet(rules.quietHours, now);
}

/** From `from`, to the minute, until just before `to`; the hours cross midnight when they end before they begin. */
function isQuiet(hours: NotificationRules['quietHours'], now: number): boolean {
  if (hours === null) return false;
  const date = new Date(now);
  const minute = date.getHours() * 60 + date.getMinutes();
  const [from, to] = [minuteOf(hours.from), minuteOf(hours.to)];
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minuteOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}
