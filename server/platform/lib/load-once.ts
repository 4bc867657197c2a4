/**
 * Returns a function that loads a value at its first call and returns the same one afterwards. Concurrent callers share
 * one load. A failed load is not kept: its callers receive the error, and the next call loads again.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
