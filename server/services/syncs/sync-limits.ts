import { RUN_TIMEOUT_MS } from '../../sandbox/run-limits.ts';

/** Limits of a run (syncs-and-records.md 1.3, 1.13). */
export const SYNC_TIMEOUT_MS = RUN_TIMEOUT_MS.sync;
export const SYNC_START_WITHIN_MS = 3_600_000;
export const WEBHOOK_RUN_TIMEOUT_MS = RUN_TIMEOUT_MS.webhook;
export const WEBHOOK_START_WITHIN_MS = 5 * 60_000;
