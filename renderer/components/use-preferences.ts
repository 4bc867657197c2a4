import { useSyncExternalStore } from 'react';
import { onPreferences, type Preferences, preferences } from '../lib/preferences.ts';

/** How this browser shows the dashboard; a change draws again what uses it. */
export const usePreferences = (): Preferences => useSyncExternalStore(onPreferences, preferences);
