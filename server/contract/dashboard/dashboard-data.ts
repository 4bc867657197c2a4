import { z } from 'zod';

const bytes = z.int();

export const backupRow = z.object({
  /** Name of its file in the folder of backups. */
  name: z.string(),
  reason: z.enum(['daily', 'manual', 'before-update', 'before-restore', 'before-key-reset']),
  /** Milliseconds since the epoch. */
  createdAt: z.int(),
  sizeBytes: bytes,
});

/** `variable`: HOMEPORT_MASTER_KEY. */
const keySource = z.enum(['keychain', 'file', 'variable']);

export const dataState = z.object({
  folder: z.string(),
  backupFolder: z.string(),
  /** What a person types for `homeport`, in any folder. */
  command: z.string(),
  /** Newest first. */
  backups: z.array(backupRow),
  /** What is wrong with the data or its backups, in sentences. */
  problem: z.string().nullable(),
  keySource,
  disk: z.object({
    database: bytes,
    /** Parts of the database. */
    records: bytes,
    logs: bytes,
    webhooks: bytes,
    free: bytes,
    backups: bytes,
    cache: bytes,
  }),
  /** Tables of the database with their indexes, the largest first; the small ones are one row, "other". */
  tables: z.array(z.object({ name: z.string(), sizeBytes: bytes })),
});

/** How much smaller the database became. */
export const compactedData = z.object({ freedBytes: bytes });

/** Without a name, the database. */
export const verifyDataBody = z.strictObject({ backup: z.string().optional() });
export const verifiedData = z.object({ problems: z.array(z.string()) });

export const masterKeyState = z.object({
  keySource,
  /** Why the next start of the hub would not open the data, in sentences; null when the key is where it should be. */
  problem: z.string().nullable(),
});

export const changeKeyBody = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('rotate') }),
  z.strictObject({ action: z.literal('move'), to: z.enum(['keychain', 'file']) }),
]);
export const changedKey = z.object({
  keySource,
  /** Backups that the old key did not open; they stay as they are. */
  closedBackups: z.int(),
});

/** Null: the vault is locked by hand only. */
export const autoLockBody = z.strictObject({ minutes: z.int().min(1).max(1440).nullable() });

export type BackupRow = z.infer<typeof backupRow>;
export type DataState = z.infer<typeof dataState>;
export type MasterKeyState = z.infer<typeof masterKeyState>;
export type ChangeKey = z.infer<typeof changeKeyBody>;
export type ChangedKey = z.infer<typeof changedKey>;
