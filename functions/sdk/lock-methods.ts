/** Locks that all runs of the environment share. Locks of a run are released when the run ends. */
export interface LockMethods {
  /**
   * Returns true when the lock was free, had expired, or belongs to this run (its time is then extended), and false
   * when another run holds it. `key` has 1 to 255 characters, `ttlMs` is in milliseconds and above 0; other values
   * throw.
   */
  tryAcquireLock(lock: { key: string; ttlMs: number }): Promise<boolean>;
  /** Releases the lock. Returns true only when this run held it. */
  releaseLock(lock: { key: string }): Promise<boolean>;
  releaseAllLocks(): Promise<void>;
}
