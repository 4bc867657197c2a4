import { z } from 'zod';
import { isoTime } from './dashboard-lists.ts';

export const environmentName = z
  .string()
  .regex(/^[a-z0-9_-]+$/)
  .max(255);

export const environmentRow = z.object({ name: environmentName, isProduction: z.boolean() });

/** What the status bar shows; pushed as event `health` whenever a part of it changes (at most once a second). */
export const health = z.object({
  vault: z.enum(['unlocked', 'locked']),
  /** Where the master key came from; `file` shows a warning. */
  vaultSource: z.enum(['keychain', 'file', 'variable']),
  running: z.number().int(),
  queued: z.number().int(),
  /** Public base address when a tunnel is set, else null. */
  tunnelUrl: z.string().nullable(),
  /** What is wrong with the data or its backups, in sentences, else null. */
  dataProblem: z.string().nullable(),
  /** Connections whose renewed tokens are held in memory because they cannot be stored. */
  unstoredTokens: z.number().int(),
});

/** First call of the page; 401 without a session. */
export const meta = z.object({
  version: z.string(),
  /** Base of the public API, for example `http://127.0.0.1:3003`. */
  apiUrl: z.string(),
  callbackUrl: z.string(),
  functionsFolder: z.string(),
  environments: z.array(environmentRow).min(1),
  health,
});

/**
 * `code` is either the six digits of the pairing code or the one-time code of the link
 * `/app/#code=<code>` that `npm run serve` prints and the desktop window opens.
 */
export const sessionBody = z.object({
  code: z.string().min(6).max(128),
  /** The command line signs in for one command only. Default: `browser`. */
  client: z.enum(['browser', 'command-line']).optional(),
});

/** `csrfToken` goes into the header `X-Homeport-Csrf` of every further request; the page keeps it for its origin. */
export const sessionResponse = z.object({ success: z.literal(true), csrfToken: z.string() });

/** A browser that is signed in. */
export const sessionRow = z.object({
  id: z.string(),
  /** "Firefox on Linux". */
  browser: z.string(),
  /** The one that asks. */
  isCurrent: z.boolean(),
  createdAt: isoTime,
  /** Exact to five minutes. */
  lastUsedAt: isoTime,
  expiresAt: isoTime,
});

export const dashboardCreateEnvironmentBody = z.object({ name: environmentName });

export type EnvironmentListItem = z.infer<typeof environmentRow>;
export type Health = z.infer<typeof health>;
export type SessionRow = z.infer<typeof sessionRow>;
export type Meta = z.infer<typeof meta>;
