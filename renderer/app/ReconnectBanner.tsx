import { IconPlugConnectedX } from '@tabler/icons-react';
import { useStreamState } from '../api/events/EventsProvider.tsx';
import { useDelayed } from '../components/use-delayed.ts';
import classes from './ReconnectBanner.module.css';

/** A server that is away for less than this is not worth a word. */
const PATIENCE_MS = 800;

export function ReconnectBanner() {
  const isAway = useDelayed(useStreamState() === 'reconnecting', PATIENCE_MS);
  return (
    <div role="status" aria-live="polite">
      {isAway && (
        <div className={classes['banner']}>
          <IconPlugConnectedX size={16} stroke={1.6} aria-hidden />
          <b>Reconnecting.</b> Homeport does not answer. What you see is from the last contact.
        </div>
      )}
    </div>
  );
}
