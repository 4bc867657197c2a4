import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../lib/api-error.ts';
import type { TakeBack } from '../lib/take-back.ts';
import { isMeta, META_KEY } from './route-query.ts';

const isUnreachable = (error: unknown): boolean => error instanceof ApiError && error.status === 0;

/** Key of the mutation that signs in. */
export const LOGIN = ['login'];

/** How the page says what came of a request that changes something. */
interface Notices {
  done: (text: string, takeBack?: TakeBack) => void;
  failed: (error: unknown) => void;
}

/** What an answer has, or is, to undo the change with. */
function wayBack(answer: unknown): TakeBack | undefined {
  const { takeBack, undo } = (answer ?? {}) as Partial<TakeBack> & { takeBack?: TakeBack };
  return undo ? (answer as TakeBack) : takeBack;
}

/** Milliseconds before a retry: 500, doubling up to 8,000. */
export const retryDelayMs = (attempt: number): number => Math.min(500 * 2 ** attempt, 8000);

/** The query cache of the page. When the session has ended, `meta` fails, which shows the lock page; its data stays for text that is not saved. */
export function createQueryClient(notices: Notices): QueryClient {
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
      onSuccess: (answer, input, _context, { meta }) => {
        const text = typeof meta?.done === 'function' ? meta.done(answer as never, input as never) : meta?.done;
        if (text !== undefined) notices.done(text, wayBack(answer));
      },
      onError: (error, _input, _context, { meta, options }) => {
        // A refused sign-in code does not mean that a session ended; the lock page shows the refusal.
        if (options.mutationKey !== LOGIN) onError(error);
        if (!meta?.ownError) notices.failed(error);
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
