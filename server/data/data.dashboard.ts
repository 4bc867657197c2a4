import { join } from 'node:path';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { withCommandName } from '../platform/lib/command-name.ts';

type Use = Pick<DashboardParts, 'about' | 'autoLock' | 'dataCare' | 'keyCare'>;
type Keys =
  | 'GET /api/v1/data'
  | 'POST /api/v1/data/backups'
  | 'DELETE /api/v1/data/backups/:name'
  | 'POST /api/v1/data/verify'
  | 'POST /api/v1/data/compact'
  | 'GET /api/v1/data/key'
  | 'POST /api/v1/data/key'
  | 'POST /api/v1/vault/lock'
  | 'POST /api/v1/vault/unlock'
  | 'PUT /api/v1/vault/auto-lock'
  | 'POST /api/v1/vault/presence';

/** Smaller tables, by share of the database, and those after the largest few are shown as one row. */
const SHOWN_SHARE = 0.01;
const MAX_SHOWN = 12;

export function dataRoutes({ about, autoLock, dataCare, keyCare }: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/data': async () => {
      const { tables, ...disk } = await dataCare.measureDisk();
      return {
        folder: about.dataFolder,
        backupFolder: join(about.dataFolder, 'backups'),
        backups: await dataCare.listBackups(),
        command: about.command,
        problem: dataCare.problem === undefined ? null : withCommandName(dataCare.problem, about.command),
        keySource: viewSource(keyCare.source),
        disk,
        tables: viewTables(tables),
      };
    },

    'POST /api/v1/data/backups': () => dataCare.backUp(),

    'DELETE /api/v1/data/backups/:name': async ({ params }) => {
      await dataCare.deleteBackup(params.name);
      return { success: true };
    },

    'POST /api/v1/data/verify': async ({ body }) => ({ problems: await dataCare.verify(body.backup) }),

    'POST /api/v1/data/compact': async () => ({ freedBytes: await dataCare.compact() }),

    'GET /api/v1/data/key': async () => ({
      keySource: viewSource(keyCare.source),
      problem: (await keyCare.findProblem()) ?? null,
    }),

    'POST /api/v1/data/key': async ({ body }) => {
      const { source, closedCopies } = await (body.action === 'rotate' ? keyCare.rotate() : keyCare.move(body.to));
      return { keySource: viewSource(source), closedBackups: closedCopies };
    },

    'POST /api/v1/vault/lock': async () => {
      await keyCare.lock();
      return { success: true };
    },

    'POST /api/v1/vault/unlock': async () => {
      // Must come first: a check of the auto-lock in between would lock the vault again.
      autoLock.notePresence();
      await keyCare.unlock();
      return { success: true };
    },

    'PUT /api/v1/vault/auto-lock': async ({ body }) => {
      await autoLock.change(body.minutes);
      return { success: true };
    },

    'POST /api/v1/vault/presence': () => {
      autoLock.notePresence();
      return { success: true };
    },
  };
}

function viewTables(tables: Array<{ name: string; sizeBytes: number }>): Array<{ name: string; sizeBytes: number }> {
  const sum = (some: typeof tables): number => some.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
  const least = sum(tables) * SHOWN_SHARE;
  const shown = tables.slice(0, MAX_SHOWN).filter(({ sizeBytes }) => sizeBytes >= least);
  const others = sum(tables.slice(shown.length));
  return others > 0 ? [...shown, { name: 'other', sizeBytes: others }] : shown;
}

function viewSource(source: DashboardParts['keyCare']['source']): 'keychain' | 'file' | 'variable' {
  return source === 'environment' ? 'variable' : source;
}
