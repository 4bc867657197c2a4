import { z } from 'zod';
import { done, environmentQuery, isoTime, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';
import { environmentName } from '../contract/fields.ts';

/** Colour of the bar at the top of the window. The theme defines the values for light and dark. */
export const environmentColour = z.enum(['petrol', 'blue', 'violet', 'magenta', 'red', 'orange', 'green', 'grey']);

export const environmentRow = z.object({
  name: environmentName,
  /** If true, destructive actions ask the person to type a name. */
  isProduction: z.boolean(),
  colour: environmentColour,
});

/** One environment with counts of its content. */
export const environmentDetail = environmentRow.extend({
  /** Null: the default colour. */
  chosenColour: environmentColour.nullable(),
  canRename: z.boolean(),
  canDelete: z.boolean(),
  integrationCount: z.int(),
  connectionCount: z.int(),
  functionCount: z.int(),
  variableCount: z.int(),
});

/** Why no schedule starts a run: a person paused them, or the computer runs on battery. */
export const pauseReason = z.enum(['person', 'battery']);
/** While schedules are paused, requested runs still start. */
export const schedulesPause = z.object({
  /** Null: until a person resumes them. */
  until: isoTime.nullable(),
  reasons: z.array(pauseReason).min(1),
  /** Each pause with its own end, so that an end of all can be taken back. */
  pauses: z.array(z.object({ reason: pauseReason, until: isoTime.nullable() })).optional(),
});

/** A pause lasts until the hub stops. The desktop shell sets its battery pause again after a start. */
export const pauseSchedulesBody = z.object({ reason: pauseReason.default('person'), until: isoTime.nullable() });
/** Without a reason every pause ends. */
export const resumeSchedulesBody = z.object({ reason: pauseReason.optional() });
export const schedulesPauseResponse = z.object({ pausedSchedules: schedulesPause.nullable() });

/** State in the status bar. The event `health` is sent when a part of it changes, at most once a second. */
export const health = z.object({
  /** While the vault is locked, calls that need a secret answer 423 `vault_locked`, and no job starts. */
  vault: z.enum(['unlocked', 'locked']),
  /** Source of the master key. The page shows a warning for `file`. */
  vaultSource: z.enum(['keychain', 'file', 'variable']),
  /** Minutes without activity in the dashboard after which the vault is locked; null: never. */
  autoLockMinutes: z.number().int().nullable(),
  running: z.number().int(),
  queued: z.number().int(),
  /** Public base address if a tunnel is set, else null. */
  tunnelUrl: z.string().nullable(),
  /** Problems of the data or its backups, in sentences, else null. */
  dataProblem: z.string().nullable(),
  /** Number of connections whose refreshed tokens are in memory only, because they could not be stored. */
  unstoredTokens: z.number().int(),
  /** Null while schedules run. */
  pausedSchedules: schedulesPause.nullable(),
});

/** First call of the page. Answers 401 without a session. */
export const meta = z.object({
  version: z.string(),
  /** Base of the public API, for example `http://127.0.0.1:3003`. */
  apiUrl: z.string(),
  callbackUrl: z.string(),
  functionsFolder: z.string(),
  /** Of the hub's process, in Node's words: `linux` and `x64`. */
  machine: z.object({ platform: z.string(), arch: z.string() }),
  environments: z.array(environmentRow).min(1),
  /** Id of the newest event per environment name; send it as `Last-Event-ID` to continue after it. */
  lastEventIds: z.record(z.string(), z.string()),
  health,
});

/**
 * `code` is the six-digit pairing code, or the one-time code in the link `/app/#code=<code>` that `npm run serve`
 * prints and the desktop window opens.
 */
export const sessionBody = z.object({
  code: z.string().min(6).max(128),
  /** The command line logs in for one command only. Default: `browser`. */
  client: z.enum(['browser', 'command-line']).optional(),
});

/** Every further request sends `csrfToken` in the header `X-Homeport-Csrf`. The page stores it for its origin. */
export const dashboardSessionResponse = z.object({ success: z.literal(true), csrfToken: z.string() });

/** A browser with a dashboard login. */
export const sessionRow = z.object({
  id: z.string(),
  /** For example "Firefox on Linux". */
  browser: z.string(),
  /** Whether it is the session of this request. */
  isCurrent: z.boolean(),
  createdAt: isoTime,
  /** Accurate to five minutes. */
  lastUsedAt: isoTime,
  expiresAt: isoTime,
});

/**
 * Parts that a new environment may copy from another one. Connections and records are never copied: they belong to
 * their users.
 */
export const environmentPart = z.enum(['settings', 'webhooks', 'connect_ui', 'variables', 'integrations']);

export const dashboardCreateEnvironmentBody = z.strictObject({
  name: environmentName,
  copy: z.strictObject({ from: environmentName, parts: z.array(environmentPart).min(1) }).optional(),
});

export const updateEnvironmentBody = z.strictObject({
  name: environmentName.optional(),
  isProduction: z.boolean().optional(),
  /** Null: the default colour. */
  colour: environmentColour.nullable().optional(),
});

/** The environment's name, as typed by the person. */
export const deleteEnvironmentBody = z.strictObject({ name: z.string() });

/** Names in their new order. */
export const environmentOrderBody = z.strictObject({ names: z.array(environmentName).max(1000) });

export const environmentRouteShapes = {
  'POST /api/v1/session': {
    meaning: 'Exchanges a one-time or pairing code for the session cookie and the token of the page.',
    body: sessionBody,
    response: dashboardSessionResponse,
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
    meaning: 'Creates an environment with its own secret key, and copies the named parts of another one.',
    body: dashboardCreateEnvironmentBody,
    response: environmentRow,
  },
  'PUT /api/v1/environments/order': {
    meaning: 'Sets the order of the environments in lists; environments that are not named come last.',
    body: environmentOrderBody,
    response: done,
  },
  'GET /api/v1/environments/current': {
    meaning: 'One environment with counts of its content.',
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
    meaning: 'Deletes it with everything in it; the request must contain its name.',
    query: environmentQuery,
    body: deleteEnvironmentBody,
    response: done,
  },
  'POST /api/v1/schedules/pause': {
    meaning: 'Pauses the schedules of all environments until then; returns the current pause.',
    body: pauseSchedulesBody,
    response: schedulesPauseResponse,
  },
  'POST /api/v1/schedules/resume': {
    meaning:
      'Resumes schedules; syncs that became due meanwhile run once. Returns a pause that remains for another reason.',
    body: resumeSchedulesBody,
    response: schedulesPauseResponse,
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
