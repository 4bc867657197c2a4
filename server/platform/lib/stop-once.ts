export interface StopOnceOptions {
  stop: () => Promise<void>;
  exit: (status: number) => void;
  /** Receives the error of a stop that failed or took too long. */
  onError: (error: unknown) => void;
  /** A stop that takes longer is abandoned: committed data is safe, and the next start recovers the rest. */
  limitMs: number;
}

/**
 * Returns a function that ends the process once, however often it is called: with status 0, or 1 when the stop failed
 * or took too long.
 */
export function stopOnce({ stop, exit, onError, limitMs }: StopOnceOptions): () => void {
  let isStopping = false;
  return () => {
    if (isStopping) return;
    isStopping = true;
    const end = (error: unknown): void => {
      onError(error);
      exit(1);
    };
    const timer = setTimeout(() => end(new Error(`The server did not stop within ${limitMs} ms.`)), limitMs);
    timer.unref();
    stop().then(() => exit(0), end);
  };
}
