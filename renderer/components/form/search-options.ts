import type { OptionsFilter } from '@mantine/core';
import { bestFirst } from '../../lib/best-first.ts';

/** For searchable fields of the kit, which keep the order of the list otherwise. */
export const searchOptions: OptionsFilter = ({ options, search, limit }) =>
  bestFirst(
    options.flatMap((one) => ('group' in one ? one.items : [one])),
    search,
  ).slice(0, limit);
