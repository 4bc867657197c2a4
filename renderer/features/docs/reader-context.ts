import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useRef } from 'react';
import { connectionChoicesQueryOptions } from '../../api/connections/connections-queries.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { useEnv } from '../../api/use-env.ts';
import { useShownSecret } from '../../components/form/use-shown-secret.ts';
import { notifyError } from '../../components/notice/notify.ts';
import type { ReaderValues } from '../../lib/reader-values.ts';

/** The reader's own values, and the key for requests that the page sends without showing it. */
interface Reader {
  values: ReaderValues;
  /** Shows the key in every block, or hides it. */
  toggleKey: () => void;
  secretKey: () => Promise<string>;
}

export const ReaderContext = createContext<Reader>({
  values: { address: location.origin, secretKey: undefined, connection: undefined },
  toggleKey: () => {},
  secretKey: () => Promise.reject(new Error('No page is open.')),
});

export const useReader = (): Reader => useContext(ReaderContext);

const PRACTICE = 'practice';

export function useReaderState(): Reader {
  const env = useEnv();
  const reveal = useReveal();
  const [shown, show] = useShownSecret();
  const known = useRef<Promise<string>>(undefined);
  // Without a session the pages are read all the same, and ask for nothing else.
  const isSignedIn = useQuery(metaQueryOptions()).data !== undefined;
  const { data: connections } = useQuery({ ...connectionChoicesQueryOptions(env, ''), enabled: isSignedIn });
  const connection = connections?.find(({ provider }) => provider === PRACTICE);
  const secretKey = (): Promise<string> => {
    // Asked once a page: each time is a line of the audit.
    known.current ??= reveal.mutateAsync({ kind: 'secret_key' }).catch((error: unknown) => {
      known.current = undefined;
      throw error;
    });
    return known.current;
  };
  return {
    values: { address: location.origin, secretKey: shown, connection },
    toggleKey: () => {
      if (shown === undefined) secretKey().then(show, notifyError);
      else show(undefined);
    },
    secretKey,
  };
}
