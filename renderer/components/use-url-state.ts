import { useCallback } from 'react';
import { useHref, useLocation, useSearchParams } from 'react-router';
import { withParams } from '../lib/search-params.ts';

type Changes = Record<string, string | undefined>;

export interface UrlState {
  get: (name: string) => string | undefined;
  /** Typing replaces the history entry, everything else adds one. */
  set: (changes: Changes, options?: { replace?: boolean }) => void;
  /** The address with changes, for a link. */
  href: (changes: Changes) => string;
  /** Only what follows the path, for a link of this page. */
  search: (changes: Changes) => string;
}

/** Filters and open panels live in the address, so that every view can be shared and restored. */
export function useUrlState(): UrlState {
  const [params, setParams] = useSearchParams();
  const page = useHref(useLocation().pathname);
  const get = useCallback((name: string) => params.get(name) ?? undefined, [params]);
  const set = useCallback(
    (changes: Changes, options: { replace?: boolean } = {}) =>
      setParams((current) => withParams(current, changes), { replace: options.replace ?? false }),
    [setParams],
  );
  const search = useCallback((changes: Changes) => `?${withParams(params, changes)}`, [params]);
  const href = useCallback((changes: Changes) => page + search(changes), [page, search]);
  return { get, set, href, search };
}
