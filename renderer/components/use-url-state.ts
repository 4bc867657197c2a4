import { useCallback } from 'react';
import { useHref, useLocation, useNavigate, useSearchParams } from 'react-router';
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
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const page = useHref(useLocation().pathname);
  const get = useCallback((name: string) => params.get(name) ?? undefined, [params]);
  const set = useCallback(
    (changes: Changes, { replace = false }: { replace?: boolean } = {}) => {
      // What is drawn may be older than the address: a change made meanwhile stays, and a page that was left is not
      // opened again. A tab may stand after the #, and its list stays on it.
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
