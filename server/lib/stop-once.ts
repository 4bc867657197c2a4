export interface StopOnceOptions {
  stop: () => Promise<void>;
  exit: (status: number) => void;
  /** Receives the reason when the end was not a clean one. */
  onTrouble: (error: unknown) => void;
  /** A stop that takes longer is given up; what was committed is safe, the next start recovers the rest. */
  limitMs: number;
}

/** One orderly end of the process, however often it is asked for: status 0, or 1 when it failed or took too long. */
export function stopOnce({ stop, exit, onTrouble, limitMs }: StopOnceOptions): () => void {
  let isStopping = false;
  return () => {
    if (isStopping) return;
    isStopping = true;
    const end = (error: unknown): void => {
      onTrouble(error);
      exit(1);
    };
    const timer = setTimeout(() => end(new Error(`The server did not stop within ${limitMs} ms.`)), limitMs);
    timer.unref();
    stop().then(() => exit(0), end);
  };
}
