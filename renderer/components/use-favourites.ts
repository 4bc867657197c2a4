import { useSyncExternalStore } from 'react';
import {
  addFavourite,
  type Favourite,
  favourites,
  isFavourite,
  MAX_FAVOURITES,
  removeFavourite,
} from '../lib/pinned-places.ts';
import { notifyDone, notifyError } from './notice/notify.ts';

export const useFavourites = (env: string): readonly Favourite[] =>
  useSyncExternalStore(favourites.subscribe, () => favourites.read(env));

/** Pins it to the sidebar or removes it there, and says so. */
export function toggleSidebarPin(env: string, one: Favourite): void {
  if (isFavourite(favourites.read(env), one)) {
    removeFavourite(env, one);
    notifyDone('Removed from the sidebar');
  } else if (addFavourite(env, one)) notifyDone('Pinned to the sidebar');
  else
    notifyError({
      message: `The sidebar holds ${MAX_FAVOURITES} favourites. Remove one first.`,
      code: 'too_many_favourites',
    });
}
