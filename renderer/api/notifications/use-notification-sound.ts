import { useEffect } from 'react';
import { playNotificationSound } from '../../lib/notification-sound.ts';
import { desktopBridge } from '../desktop-bridge.ts';
import { useEventStream } from '../events/EventsProvider.tsx';

/** A sound says that something happens now. */
const NEW_MS = 10_000;

/** Plays the sound of a notification, once for all tabs. Behind other windows, the desktop app leaves it to the system. */
export function useNotificationSound(): void {
  const stream = useEventStream();
  useEffect(
    () =>
      stream?.on('notification', ({ hasSound, notification }) => {
        // Events that a stream missed come late, all at once.
        if (Date.now() - Date.parse(notification.at) > NEW_MS) return;
        const isHeard = stream.hasStream && (!desktopBridge() || document.hasFocus());
        if (hasSound && isHeard) void playNotificationSound();
      }),
    [stream],
  );
}
