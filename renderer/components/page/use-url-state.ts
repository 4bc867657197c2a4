import { useCallback } from 'react';
import { useHref, useLocation, useNavigate, useSearchParams } from 'react-router';
import { withParams } from '../../lib/search-params.ts';

type Changes = Record<string, string | undefined>;

export interface UrlState {
  get: (name: string) => string | undefined;
  /** Typing replaces the history entry, any other change adds one. */
  set: (changes: Changes, options?: { replace?: boolean }) => void;
  /** The address with changes, for a link. */
  href: (changes: Changes) => string;
  /** The part after the path, for a link within this page. */
  search: (changes: Changes) => string;
}

/** Filters and open panels are stored in the address, so that every view can be shared and restored. */
export function useUrlState(): UrlState {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const page = useHref(useLocation().pathname);
  const get = useCallback((name: string) => params.get(name) ?? undefined, [params]);
  const set = useCallback(
    (changes: Changes, { replace = false }: { replace?: boolean } = {}) => {
      // The rendered state may be older than the address: read the address again, so that changes made meanwhile are kept
      // and a page that was left does not open again. The tab after the # is kept too.
      const { pathname, search, hash } = window.location;
      if (pathname !== new URL(page, window.location.origin).pathname) return;
      void navigate({ search: `?${withParams(new URLSearchParams(search), changes)}`, hash }, { replace });
    },
    [navigate, page],
  );
  const search = useCallback((changes: Changes) => `?${withParams(params, changes)}`, [params]);
  const href = useCallback((changes: Changes) => page + search(changes), [page, search]);
  return { get, set, href, search };
}
