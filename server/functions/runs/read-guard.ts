import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { SentRead } from '../dry-run/compare-shapes.ts';
import type { HostGuard } from './run-request.ts';

export interface ReadGuard extends HostGuard {
  /** Whether the run was ended because it sent enough. */
  readonly isFull: boolean;
}

/** Limits a run to requests that read, and to `most` of them: the rest of a long list has the same form. */
export function createReadGuard(isAllowed: (request: SentRead) => boolean, most: number): ReadGuard {
  let sent = 0;
  const require = (request: SentRead): void => {
    if (!isAllowed(request))
      throw refusal(`This run may only read, and the function sent ${request.method} ${request.endpoint}.`);
    if (sent >= most) throw refusal(`This run may send ${most} requests.`);
    sent += 1;
  };
  return {
    get isFull() {
      return sent >= most;
    },
    clean: (answer) => answer,
    methods: (table) => ({
      ...table,
      'http.request': async (args, signal) => {
        require(args);
        return table['http.request'](args, signal);
      },
      'http.uncontrolledFetch': async (args, signal) => {
        require({ method: args.method, endpoint: args.url, headers: args.headers });
        return table['http.uncontrolledFetch'](args, signal);
      },
      'connection.get': ({ forceRefresh: _forced, ...asked }, signal) => table['connection.get'](asked, signal),
      'action.trigger': async () => {
        throw refusal('This run may only read, and other functions may write.');
      },
    }),
  };
}

const refusal = (message: string): HomeportError => new HomeportError('forbidden', message);
