import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';

/** The tab in the address, after `#`; the fallback where it is none of them. */
export function useUrlHash(fallback: string, tabs: readonly string[]): [value: string, set: (value: string) => void] {
  const { hash, search, pathname } = useLocation();
  const navigate = useNavigate();
  const set = useCallback(
    (value: string) => void navigate({ pathname, search, hash: value }, { replace: true }),
    [navigate, pathname, search],
  );
  const value = hash.slice(1);
  return [tabs.includes(value) ? value : fallback, set];
}
