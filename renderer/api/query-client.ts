import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../lib/api-error.ts';
import { isMeta, META_KEY } from './route-query.ts';

const isUnreachable = (error: unknown): boolean => error instanceof ApiError && error.status === 0;

/** Milliseconds before a retry: 500, doubling up to 8,000. */
export const retryDelayMs = (attempt: number): number => Math.min(500 * 2 ** attempt, 8000);

/** The query cache of the page. When the session has ended, `meta` fails, which shows the lock page; its data stays for text that is not saved. */
export function createQueryClient(): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: META_KEY });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (!isMeta(query.queryKey)) onError(error);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        // A refused sign-in code does not mean that a session ended; the lock page shows the refusal.
        if (!mutation.meta?.['isLogin']) onError(error);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => isUnreachable(error) && count < 6,
        retryDelay: retryDelayMs,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
  // Returning to an environment goes on where its events ended, however long ago that was.
  client.setQueryDefaults(['last-event'], { gcTime: Number.POSITIVE_INFINITY });
  return client;
}
