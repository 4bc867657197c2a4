import { z } from 'zod';

/** Exit status of a server whose master key does not open its data; nothing was changed. */
export const EXIT_WRONG_MASTER_KEY = 78;

/** Exit status of a server whose database is damaged (EX_DATAERR of sysexits); nothing was changed. */
export const EXIT_DAMAGED_DATABASE = 65;

/** Why a start failed, as far as the launcher can help with it. */
export const serverFailureCode = z.enum([
  'wrong_master_key',
  'port_in_use',
  'newer_database',
  'damaged_database',
  'start_failed',
]);
export type ServerFailureCode = z.infer<typeof serverFailureCode>;

/** What the server sends to the process that started it with an IPC channel: the desktop shell or `npm start`. */
export const serverMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ready'),
    /** Origin of the server, for example `http://127.0.0.1:3003`. */
    address: z.url(),
    /** Signs a browser in to the dashboard once, within ten minutes. */
    signInUrl: z.url(),
    /** Absolute path; the one folder that the shell shows in the file manager. */
    functionsFolder: z.string(),
    /** Absolute path; only this user can read what is in there. */
    dataFolder: z.string(),
  }),
  z.object({ type: z.literal('failed'), code: serverFailureCode, message: z.string() }),
  z.object({ type: z.literal('signInLink'), requestId: z.number().int(), url: z.url() }),
]);
export type ServerMessage = z.infer<typeof serverMessage>;

/** What the shell sends to the server. A channel that closes means the same as `stop`. */
export const shellMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stop') }),
  z.object({ type: z.literal('signInLink'), requestId: z.number().int() }),
]);
export type ShellMessage = z.infer<typeof shellMessage>;

/** Life of the server as the shell sees it. */
export type ServerState =
  | { name: 'starting' }
  | { name: 'ready'; address: string }
  | { name: 'restarting'; attempt: number; delayMs: number }
  | { name: 'locked'; message: string }
  | { name: 'failed'; code: ServerFailureCode; message: string }
  | { name: 'stopped' };
