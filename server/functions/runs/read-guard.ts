import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { HostGuard } from './run-request.ts';

export interface ReadGuard extends HostGuard {
  /** Whether the run was ended because it sent enough. */
  readonly isFull: boolean;
}

/** Limits a run to requests that read, and to `most` of them: the rest of a long list has the same form. */
export function createReadGuard(isAllowed: (method: string, endpoint: string) => boolean, most: number): ReadGuard {
  let sent = 0;
  const require = (method: string, endpoint: string): void => {
    if (!isAllowed(method, endpoint))
      throw refusal(`This run may only read, and the function sent ${method} ${endpoint}.`);
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
        require(args.method, args.endpoint);
        return table['http.request'](args, signal);
      },
      'http.uncontrolledFetch': async (args, signal) => {
        require(args.method, args.url);
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
