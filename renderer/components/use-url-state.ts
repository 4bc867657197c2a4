import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import { withParams } from '../lib/search-params.ts';

export interface UrlState {
  get: (name: string) => string | undefined;
  /** Typing replaces the history entry, everything else adds one. */
  set: (changes: Record<string, string | undefined>, options?: { replace?: boolean }) => void;
}

/** Filters and open panels live in the address, so that every view can be shared and restored. */
export function useUrlState(): UrlState {
  const [params, setParams] = useSearchParams();
  const get = useCallback((name: string) => params.get(name) ?? undefined, [params]);
  const set = useCallback(
    (changes: Record<string, string | undefined>, options: { replace?: boolean } = {}) =>
      setParams((current) => withParams(current, changes), { replace: options.replace ?? false }),
    [setParams],
  );
  return { get, set };
}
