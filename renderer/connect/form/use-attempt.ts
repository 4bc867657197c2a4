import { useCallback, useEffect, useRef, useState } from 'react';
import type { AuthResult } from '../../api/connect-api.ts';
import { ApiError } from '../../lib/api-error.ts';
import { type Attempt, type AttemptOptions, type Progress, startAttempt } from '../client/connect-attempt.ts';

export interface AttemptState {
  /** Undefined while no attempt is running. */
  progress: Progress | undefined;
  /** Call it while a click is handled. */
  start(options: Omit<AttemptOptions, 'onProgress'>): void;
  showAgain(): void;
  cancel(): void;
}

/** One attempt to connect at a time; it ends when the screen unmounts. */
export function useAttempt(
  onConnected: (result: AuthResult) => void,
  onFailed: (error: ApiError) => void,
): AttemptState {
  const [progress, setProgress] = useState<Progress>();
  const attempt = useRef<Attempt>(undefined);
  const cancel = useCallback(() => attempt.current?.cancel(), []);
  useEffect(() => cancel, [cancel]);

  const fail = (error: unknown): void => {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    onFailed(error instanceof ApiError ? error : new ApiError('unknown_error', String(error), 0));
  };
  const start: AttemptState['start'] = (options) => {
    try {
      const started = startAttempt({ ...options, onProgress: setProgress });
      attempt.current = started;
      started.result.finally(() => setProgress(undefined)).then(onConnected, fail);
    } catch (error) {
      fail(error);
    }
  };
  return { progress, start, cancel, showAgain: () => attempt.current?.showAgain() };
}
