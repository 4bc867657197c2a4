const MEBIBYTE = 1024 * 1024;
const MINUTE_MS = 60_000;

/** The limits of one run, in the hub and on the command line. */
export const RUN_LIMITS = {
  /** The sandbox keeps isolates of this size ready. */
  memoryMb: 256,
  /** Transport limit of an output (functions.md 6.3); the guest checks the 2 MB limit. */
  outputBytes: 10 * MEBIBYTE,
  /** Enough for a batch of 1000 records of 100 kB, or a provider's large response. */
  messageBytes: 100 * MEBIBYTE,
};

/** Longest run of each kind (functions.md 7.1). */
export const RUN_TIMEOUT_MS = {
  sync: 24 * 60 * MINUTE_MS,
  webhook: 60 * MINUTE_MS,
  action: 15 * MINUTE_MS,
  'on-event': 5 * MINUTE_MS,
};
