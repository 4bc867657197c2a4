import { z } from 'zod';

/** Exit status of a server whose master key does not open its data. The data was not changed. */
export const EXIT_WRONG_MASTER_KEY = 78;

/** Exit status of a server whose database is damaged (EX_DATAERR of sysexits). The data was not changed. */
export const EXIT_DAMAGED_DATABASE = 65;

/**
 * Exit status of a server that its starter starts again at once (`homeport restart`): the desktop shell, or
 * build/scripts/launch-server.mjs.
 */
export const EXIT_RESTART = 75;

/** Why a start failed, for failures that the launcher can explain. */
export const serverFailureCode = z.enum([
  'wrong_master_key',
  'port_in_use',
  'newer_database',
  'older_database',
  'damaged_database',
  'start_failed',
]);
export type ServerFailureCode = z.infer<typeof serverFailureCode>;

/** Messages from the server to the process that started it with an IPC channel: the desktop shell or `npm start`. */
export const serverMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ready'),
    /** Origin of the server, for example `http://127.0.0.1:3003`. */
    address: z.url(),
    /** Link that opens a dashboard session once, within ten minutes. */
    loginUrl: z.url(),
    /** Absolute path. It is the only folder that the shell shows in the file manager. */
    functionsFolder: z.string(),
    /** Absolute path. Only this user can read its content. */
    dataFolder: z.string(),
  }),
  z.object({ type: z.literal('failed'), code: serverFailureCode, message: z.string() }),
  z.object({ type: z.literal('loginLink'), requestId: z.number().int(), url: z.url() }),
  /** A command asked it to stop (`homeport stop`). It ends by itself; the app is to quit. */
  z.object({ type: z.literal('quit') }),
]);
export type ServerMessage = z.infer<typeof serverMessage>;

/** Messages from the shell to the server. A closed channel means the same as `stop`. */
export const shellMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stop') }),
  z.object({ type: z.literal('loginLink'), requestId: z.number().int() }),
]);
export type ShellMessage = z.infer<typeof shellMessage>;

/** State of the server for the shell. */
export type ServerState =
  | { name: 'starting' }
  | { name: 'ready'; address: string }
  | { name: 'restarting'; attempt: number; delayMs: number }
  | { name: 'locked'; message: string }
  | { name: 'failed'; code: ServerFailureCode; message: string }
  | { name: 'stopped' };
