import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';

/** The tab in the address, after `#`. */
export function useUrlHash(fallback: string): [value: string, set: (value: string) => void] {
  const { hash, search, pathname } = useLocation();
  const navigate = useNavigate();
  const set = useCallback(
    (value: string) => void navigate({ pathname, search, hash: value }, { replace: true }),
    [navigate, pathname, search],
  );
  return [hash.slice(1) || fallback, set];
}
