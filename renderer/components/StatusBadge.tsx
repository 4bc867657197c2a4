import {
  IconAlertCircleFilled,
  IconAlertTriangleFilled,
  IconBan,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCirclePlus,
  IconClock,
  IconEye,
  IconHourglass,
  IconPencil,
  IconPlayerPauseFilled,
  IconTrash,
} from '@tabler/icons-react';
import type { StatusIconName, StatusLook } from '../lib/status.ts';
import classes from './StatusBadge.module.css';

const ICONS: Record<StatusIconName, typeof IconBan> = {
  check: IconCircleCheckFilled,
  alert: IconAlertCircleFilled,
  triangle: IconAlertTriangleFilled,
  running: IconCircleDashed,
  waiting: IconClock,
  pause: IconPlayerPauseFilled,
  ban: IconBan,
  timeout: IconHourglass,
  plus: IconCirclePlus,
  pencil: IconPencil,
  trash: IconTrash,
  eye: IconEye,
};

/** Icon and word. `soft` is the filled pill, used once per header or panel. */
export function StatusBadge({ look, soft = false }: { look: StatusLook; soft?: boolean }) {
  const Icon = ICONS[look.icon];
  return (
    <span
      className={`note name soft middle one-line ${classes['badge']}`}
      data-tone={look.tone}
      data-soft={soft || undefined}
    >
      <Icon
        size={14}
        stroke={1.6}
        className={`rigid ${look.icon === 'running' ? 'turning' : ''} ${classes['icon']}`}
        aria-hidden
      />
      <span className="cut">{look.label}</span>
    </span>
  );
}
