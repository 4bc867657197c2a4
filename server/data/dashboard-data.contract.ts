import { z } from 'zod';
import { done } from '../contract/dashboard/dashboard-lists.ts';

const bytes = z.int();

export const backupRow = z.object({
  /** File name in the folder of backups. */
  name: z.string(),
  reason: z.enum(['daily', 'manual', 'before-update', 'before-restore', 'before-key-reset']),
  /** Milliseconds since the epoch. */
  createdAt: z.int(),
  sizeBytes: bytes,
});

/** `variable` is the environment variable HOMEPORT_MASTER_KEY. */
const keySource = z.enum(['keychain', 'file', 'variable']);

export const dataState = z.object({
  folder: z.string(),
  backupFolder: z.string(),
  /** The command that runs `homeport` from any folder. */
  command: z.string(),
  /** Sorted by time, the newest first. */
  backups: z.array(backupRow),
  /** Problems of the data or its backups, in sentences; null when there is none. */
  problem: z.string().nullable(),
  keySource,
  disk: z.object({
    database: bytes,
    /** Sizes of the parts of the database. */
    records: bytes,
    logs: bytes,
    webhooks: bytes,
    free: bytes,
    backups: bytes,
    cache: bytes,
  }),
  /** Database tables with their indexes, the largest first. Small tables are one row, "other". */
  tables: z.array(z.object({ name: z.string(), sizeBytes: bytes })),
});

/** Number of bytes by which the database became smaller. */
export const compactedData = z.object({ freedBytes: bytes });

/** Name of the backup to check. Without it the database is checked. */
export const verifyDataBody = z.strictObject({ backup: z.string().optional() });
export const verifiedData = z.object({ problems: z.array(z.string()) });

export const masterKeyState = z.object({
  keySource,
  /** Why the next start could not open the data, in sentences; null when the key is in place. */
  problem: z.string().nullable(),
});

export const changeKeyBody = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('rotate') }),
  z.strictObject({ action: z.literal('move'), to: z.enum(['keychain', 'file']) }),
]);
export const changedKey = z.object({
  keySource,
  /** Number of backups that the old key could not open; they stay unchanged. */
  closedBackups: z.int(),
});

/** Null: the vault is locked by hand only. */
export const autoLockBody = z.strictObject({ minutes: z.int().min(1).max(1440).nullable() });

export const dataRouteShapes = {
  'GET /api/v1/data': {
    meaning: 'The data folder: its size, its backups, the location of its master key.',
    response: dataState,
  },
  'POST /api/v1/data/backups': { meaning: 'Makes a backup now.', response: backupRow },
  'DELETE /api/v1/data/backups/:name': {
    meaning: 'Deletes a backup that was made by hand; the others are replaced by newer ones of their kind.',
    params: z.object({ name: z.string() }),
    response: done,
  },
  'POST /api/v1/data/verify': {
    meaning: 'Reads the database or a backup completely; returns its problems.',
    body: verifyDataBody,
    response: verifiedData,
  },
  'POST /api/v1/data/compact': {
    meaning: 'Rewrites the database without free space; writes wait meanwhile.',
    response: compactedData,
  },
  'GET /api/v1/data/key': {
    meaning: 'Where the master key is, and whether it is still there: reads the keychain or the key file.',
    response: masterKeyState,
  },
  'POST /api/v1/data/key': {
    meaning: 'Replaces the master key by a new one, or moves it; 409 `conflict` when that cannot be done here.',
    body: changeKeyBody,
    response: changedKey,
  },
  'POST /api/v1/vault/lock': {
    meaning:
      'Removes the data key and all decrypted secrets from memory until the vault is unlocked or the hub starts again.',
    response: done,
  },
  'POST /api/v1/vault/unlock': {
    meaning:
      'Reads the master key from its source; 409 `conflict` when the source has no key, or the keychain is locked.',
    response: done,
  },
  'PUT /api/v1/vault/auto-lock': {
    meaning: 'Sets after how many minutes without a person at the dashboard the vault is locked.',
    body: autoLockBody,
    response: done,
  },
  'POST /api/v1/vault/presence': {
    meaning:
      'Reports activity of a person, which delays the automatic lock. Pages send it after a key press, a click or a scroll.',
    response: done,
  },
};

export type BackupRow = z.infer<typeof backupRow>;
export type DataState = z.infer<typeof dataState>;
export type MasterKeyState = z.infer<typeof masterKeyState>;
export type ChangeKey = z.infer<typeof changeKeyBody>;
export type ChangedKey = z.infer<typeof changedKey>;
