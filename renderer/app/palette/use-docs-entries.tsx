import { IconBook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { docsListQueryOptions, docsSearchQueryOptions } from '../../api/hub/docs-queries.ts';
import { paths } from '../../lib/paths.ts';
import { entryIcon } from './fixed-entries.tsx';
import type { PaletteEntry, PaletteMode } from './palette-entry.ts';

const GROUP = 'Documentation';
const MIN_LETTERS = 2;
const SHOWN = 6;

/** Pages of the documentation by their titles; what is written in them is searched after `?`. */
export function useDocsEntries(mode: PaletteMode, text: string): PaletteEntry[] {
  const isHelp = mode === 'help';
  const pages = useQuery({ ...docsListQueryOptions(), enabled: isHelp || mode === 'all' }).data ?? [];
  const search = useQuery({ ...docsSearchQueryOptions(), enabled: isHelp }).data;
  if (!isHelp && mode !== 'all') return [];
  const hits = isHelp && text.length >= MIN_LETTERS ? (search?.(text).slice(0, SHOWN) ?? []) : [];
  return [
    ...hits.map(
      ({ heading, id, title }): PaletteEntry => ({
        id: `docs:${id}`,
        group: GROUP,
        label: heading === '' ? title : heading,
        hint: heading === '' ? 'Page' : title,
        icon: entryIcon(IconBook),
        to: paths.docs(id),
        isFound: true,
      }),
    ),
    ...pages
      .filter(({ name, section }) => section !== null && !hits.some(({ id }) => id === name))
      .map(
        ({ about, name, title }): PaletteEntry => ({
          id: `docs:${name}`,
          group: GROUP,
          label: title,
          hint: isHelp ? about : 'Documentation',
          icon: entryIcon(IconBook),
          to: paths.docs(name),
          isQuiet: true,
        }),
      ),
  ];
}
