import { useNetwork } from '@mantine/hooks';
import { IconPlugConnectedX, IconWifiOff } from '@tabler/icons-react';
import { useStreamState } from '../api/events/EventsProvider.tsx';
import { useDelayed } from '../components/time/use-delayed.ts';
import classes from './ReconnectBanner.module.css';

/** Milliseconds; shorter interruptions are not shown. */
const SHOWN_AFTER_MS = 800;

/** Shown while the hub does not answer or the computer is offline; says what does not work. */
export function ReconnectBanner() {
  const { online } = useNetwork();
  const isAway = useDelayed(useStreamState() === 'reconnecting', SHOWN_AFTER_MS);
  return (
    <div role="status" aria-live="polite">
      {isAway && (
        <div className={`row gap-6 soft ${classes['banner']}`}>
          <IconPlugConnectedX size={16} stroke={1.6} aria-hidden />
          <b className="strong">Reconnecting.</b> Homeport does not answer. This page shows what it received last.
        </div>
      )}
      {!isAway && !online && (
        <div className={`row gap-6 soft ${classes['banner']}`}>
          <IconWifiOff size={16} stroke={1.6} aria-hidden />
          <p>
            <b className="strong">This computer is offline.</b> Logs, records, editing, replay and providers on this
            computer work. Calls to other providers fail until it is back; due webhooks wait.
          </p>
        </div>
      )}
    </div>
  );
}
