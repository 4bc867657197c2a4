import { type AuthResult, callApi } from '../../api/connect-api.ts';
import { ApiError } from '../../lib/api-error.ts';
import { authUrl } from './auth-calls.ts';
import type { Attempt, AttemptOptions } from './connect-attempt.ts';

/** A code that the person enters at the provider (auth-and-connect.md 3.12). */
export interface PendingCode {
  status: 'pending';
  user_code: string;
  verification_uri: string;
  verification_uri_complete?: string;
}

type CodeSignIn =
  | PendingCode
  | ({ status: 'connected' } & AuthResult)
  | { status: 'denied' | 'expired' | 'failed'; error: { code: string; message: string } }
  | { status: 'none' };

const ASK_MS = 1500;
/** Questions without an answer before the sign-in counts as failed. */
const SILENCES = 5;

/** Shows a code and asks the hub until the person has entered it. The hub alone asks the provider. */
export function signInWithCode({ target, call, params, onProgress }: AttemptOptions): Attempt {
  const { promise, resolve, reject } = Promise.withResolvers<AuthResult>();
  const controller = new AbortController();
  const { signal } = controller;
  const url = authUrl(target, call, params);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silences = 0;

  const end = (settle: () => void): void => {
    clearTimeout(timer);
    controller.abort();
    settle();
  };
  const take = (signIn: CodeSignIn): void => {
    silences = 0;
    if (signal.aborted) return;
    if (signIn.status === 'pending') {
      onProgress({ stage: 'code', code: signIn, hasExpired: false });
      timer = setTimeout(() => void ask(), ASK_MS);
    } else if (signIn.status === 'connected') {
      const { connectionId, providerConfigKey } = signIn;
      end(() => resolve({ connectionId, providerConfigKey }));
    } else if (signIn.status === 'expired' || signIn.status === 'none') {
      onProgress({ stage: 'code', code: undefined, hasExpired: true });
    } else {
      const { code, message } = signIn.error;
      // The page recognises a refusal by the names that providers give it.
      const isDenied = signIn.status === 'denied';
      end(() =>
        reject(isDenied ? new ApiError('callback_err', `${message} (${code})`, 0) : new ApiError(code, message, 0)),
      );
    }
  };
  const fail = (error: unknown): void => {
    if (signal.aborted) return;
    end(() => reject(error));
  };
  const begin = (isNew: boolean): void => {
    onProgress({ stage: 'code', code: undefined, hasExpired: false });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(isNew ? { new: true } : {});
    callApi(url, { method: 'POST', headers, body, signal }).then((signIn) => take(signIn as CodeSignIn), fail);
  };
  async function ask(): Promise<void> {
    try {
      take((await callApi(url, { signal })) as CodeSignIn);
    } catch (error) {
      silences += 1;
      const mayReturn = error instanceof ApiError && error.code === 'unreachable' && silences < SILENCES;
      if (mayReturn && !signal.aborted) timer = setTimeout(() => void ask(), ASK_MS);
      else fail(error);
    }
  }

  begin(false);
  return {
    result: promise,
    showAgain: () => begin(true),
    cancel() {
      if (signal.aborted) return;
      // The answer changes nothing for the person, who has left.
      void fetch(url, { method: 'DELETE', credentials: 'omit', keepalive: true }).catch(() => {});
      end(() => reject(new DOMException('The sign-in was cancelled.', 'AbortError')));
    },
  };
}
