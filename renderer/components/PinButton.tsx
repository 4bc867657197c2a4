import { ActionIcon, Tooltip } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { type Favourite, isFavourite } from '../lib/pinned-places.ts';
import { toggleSidebarPin, useFavourites } from './use-favourites.ts';

/** Pins what a page shows to the sidebar. */
export function PinButton({ env, of }: { env: string; of: Favourite }) {
  const isPinned = isFavourite(useFavourites(env), of);
  const Icon = isPinned ? IconStarFilled : IconStar;
  return (
    <Tooltip label={isPinned ? 'Remove from the sidebar' : 'Pin to the sidebar'}>
      <ActionIcon
        variant="default"
        size={32}
        aria-label="Pin to the sidebar"
        aria-pressed={isPinned}
        onClick={() => toggleSidebarPin(env, of)}
      >
        <Icon size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
