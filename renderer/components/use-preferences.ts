import { useSyncExternalStore } from 'react';
import { onPreferences, type Preferences, preferences } from '../lib/preferences.ts';

/** The display preferences of this browser; a change rerenders the components that use them. */
export const usePreferences = (): Preferences => useSyncExternalStore(onPreferences, preferences);
