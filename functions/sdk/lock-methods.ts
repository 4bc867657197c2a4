/** Locks shared by all runs of the environment; held ones are released when the run ends. */
export interface LockMethods {
  /**
   * True when the lock was free, expired or already this run's (its time is renewed); false when another run holds
   * it. `key`: 1 to 255 characters; `ttlMs`: milliseconds, above 0; else throws.
   */
  tryAcquireLock(lock: { key: string; ttlMs: number }): Promise<boolean>;
  /** True only when this run held the lock. */
  releaseLock(lock: { key: string }): Promise<boolean>;
  releaseAllLocks(): Promise<void>;
}
