import { z } from 'zod';
import { done, environmentQuery, isoTime, wholeResponse } from './dashboard-lists.ts';

export const environmentName = z
  .string()
  .regex(/^[a-z0-9_-]+$/)
  .max(255);

/** Of the bar on top of the window; the theme has the exact values, light and dark. */
export const environmentColour = z.enum(['petrol', 'blue', 'violet', 'magenta', 'red', 'orange', 'green', 'grey']);

export const environmentRow = z.object({
  name: environmentName,
  /** Destructive work asks for a typed name. */
  isProduction: z.boolean(),
  colour: environmentColour,
});

/** One environment, and what it holds. */
export const environmentDetail = environmentRow.extend({
  /** Null: the usual one. */
  chosenColour: environmentColour.nullable(),
  canRename: z.boolean(),
  canDelete: z.boolean(),
  integrationCount: z.int(),
  connectionCount: z.int(),
  functionCount: z.int(),
  variableCount: z.int(),
});

/** Why no schedule starts a run: a person said so, or the computer runs on battery. */
export const pauseReason = z.enum(['person', 'battery']);
/** Runs that are requested go on meanwhile. */
export const schedulesPause = z.object({
  /** Null: until they are resumed. */
  until: isoTime.nullable(),
  reasons: z.array(pauseReason).min(1),
});

/** Lasts until the hub stops; the desktop shell sets its own again. */
export const pauseSchedulesBody = z.object({ reason: pauseReason.default('person'), until: isoTime.nullable() });
/** Without a reason every pause ends. */
export const resumeSchedulesBody = z.object({ reason: pauseReason.optional() });
export const schedulesPauseAnswer = z.object({ pausedSchedules: schedulesPause.nullable() });

/** What the status bar shows; pushed as event `health` whenever a part of it changes (at most once a second). */
export const health = z.object({
  /** While it is locked, calls that need a secret answer 423 `vault_locked`, and no job starts. */
  vault: z.enum(['unlocked', 'locked']),
  /** Where the master key came from; `file` shows a warning. */
  vaultSource: z.enum(['keychain', 'file', 'variable']),
  /** Minutes without a person at the dashboard after which the vault is locked; null: never. */
  autoLockMinutes: z.number().int().nullable(),
  running: z.number().int(),
  queued: z.number().int(),
  /** Public base address when a tunnel is set, else null. */
  tunnelUrl: z.string().nullable(),
  /** What is wrong with the data or its backups, in sentences, else null. */
  dataProblem: z.string().nullable(),
  /** Connections whose renewed tokens are held in memory because they cannot be stored. */
  unstoredTokens: z.number().int(),
  /** Null while schedules run. */
  pausedSchedules: schedulesPause.nullable(),
});

/** First call of the page; 401 without a session. */
export const meta = z.object({
  version: z.string(),
  /** Base of the public API, for example `http://127.0.0.1:3003`. */
  apiUrl: z.string(),
  callbackUrl: z.string(),
  functionsFolder: z.string(),
  environments: z.array(environmentRow).min(1),
  /** By name of the environment: id of the newest event of its stream, to go on behind it with `Last-Event-ID`. */
  lastEventIds: z.record(z.string(), z.string()),
  health,
});

/**
 * `code` is either the six digits of the pairing code or the one-time code of the link
 * `/app/#code=<code>` that `npm run serve` prints and the desktop window opens.
 */
export const sessionBody = z.object({
  code: z.string().min(6).max(128),
  /** The command line logs in for one command only. Default: `browser`. */
  client: z.enum(['browser', 'command-line']).optional(),
});

/** `csrfToken` goes into the header `X-Homeport-Csrf` of every further request; the page keeps it for its origin. */
export const sessionResponse = z.object({ success: z.literal(true), csrfToken: z.string() });

/** A browser with a dashboard login. */
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

/** What a new environment may take over from another one. Connections and records never: they belong to their users. */
export const environmentPart = z.enum(['settings', 'webhooks', 'connect_ui', 'variables', 'integrations']);

export const dashboardCreateEnvironmentBody = z.strictObject({
  name: environmentName,
  copy: z.strictObject({ from: environmentName, parts: z.array(environmentPart).min(1) }).optional(),
});

export const updateEnvironmentBody = z.strictObject({
  name: environmentName.optional(),
  isProduction: z.boolean().optional(),
  /** Null: the usual one. */
  colour: environmentColour.nullable().optional(),
});

/** The name, typed by a person. */
export const deleteEnvironmentBody = z.strictObject({ name: z.string() });

/** Names in their new order. */
export const environmentOrderBody = z.strictObject({ names: z.array(environmentName).max(1000) });

export const environmentRouteShapes = {
  'POST /api/v1/session': {
    meaning: 'Exchanges a one-time or pairing code for the session cookie and the token of the page.',
    body: sessionBody,
    response: sessionResponse,
  },
  'DELETE /api/v1/session': { meaning: 'Signs this browser out.', response: done },
  'GET /api/v1/sessions': {
    meaning: 'Browsers that are signed in, the last used first.',
    response: wholeResponse(sessionRow),
  },
  'DELETE /api/v1/sessions': {
    meaning: 'Signs every other browser out.',
    response: z.object({ ended: z.number().int() }),
  },
  'DELETE /api/v1/sessions/:sessionId': {
    meaning: 'Signs one browser out.',
    params: z.object({ sessionId: z.string() }),
    response: done,
  },
  'GET /api/v1/meta': { meaning: 'Version, addresses, environments, health.', response: meta },
  'POST /api/v1/environments': {
    meaning: 'Creates an environment with its own secret key, and takes over what is named of another one.',
    body: dashboardCreateEnvironmentBody,
    response: environmentRow,
  },
  'PUT /api/v1/environments/order': {
    meaning: 'Sets the order of the environments in lists; those that are not named come last.',
    body: environmentOrderBody,
    response: done,
  },
  'GET /api/v1/environments/current': {
    meaning: 'One environment and what it holds.',
    query: environmentQuery,
    response: environmentDetail,
  },
  'PATCH /api/v1/environments/current': {
    meaning: 'Changes its name, its colour or whether it is a production one.',
    query: environmentQuery,
    body: updateEnvironmentBody,
    response: environmentRow,
  },
  'DELETE /api/v1/environments/current': {
    meaning: 'Deletes it with everything in it; the typed name has to be its own.',
    query: environmentQuery,
    body: deleteEnvironmentBody,
    response: done,
  },
  'POST /api/v1/schedules/pause': {
    meaning: 'No schedule of any environment starts a run until then; the pause that holds now.',
    body: pauseSchedulesBody,
    response: schedulesPauseAnswer,
  },
  'POST /api/v1/schedules/resume': {
    meaning: 'Schedules go on; what became due meanwhile runs once. The pause that still holds, for another reason.',
    body: resumeSchedulesBody,
    response: schedulesPauseAnswer,
  },
};

export type EnvironmentListItem = z.infer<typeof environmentRow>;
export type EnvironmentColour = z.infer<typeof environmentColour>;
export type EnvironmentDetail = z.infer<typeof environmentDetail>;
export type EnvironmentPart = z.infer<typeof environmentPart>;
export type NewEnvironment = z.infer<typeof dashboardCreateEnvironmentBody>;
export type UpdateEnvironment = z.infer<typeof updateEnvironmentBody>;
export type SchedulesPause = z.infer<typeof schedulesPause>;
export type Health = z.infer<typeof health>;
export type SessionRow = z.infer<typeof sessionRow>;
export type Meta = z.infer<typeof meta>;
