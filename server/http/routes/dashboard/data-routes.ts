import { join } from 'node:path';
import { withCommandName } from '../../../lib/command-name.ts';
import type { DashboardParts } from '../../dashboard/dashboard-parts.ts';
import type { DashboardHandlers } from '../../dashboard/dashboard-route.ts';

type Use = Pick<DashboardParts, 'about' | 'dataCare' | 'keyCare'>;
type Keys = 'GET /api/v1/data' | 'POST /api/v1/data/backups' | 'POST /api/v1/data/verify' | 'POST /api/v1/data/key';

export function dataRoutes({ about, dataCare, keyCare }: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/data': async () => ({
      folder: about.dataFolder,
      backupFolder: join(about.dataFolder, 'backups'),
      backups: await dataCare.listBackups(),
      command: about.command,
      problem: dataCare.problem === undefined ? null : withCommandName(dataCare.problem, about.command),
      keySource: viewSource(keyCare.source),
      disk: await dataCare.measureDisk(),
    }),

    'POST /api/v1/data/backups': () => dataCare.backUp(),

    'POST /api/v1/data/verify': async ({ body }) => ({ problems: await dataCare.verify(body.backup) }),

    'POST /api/v1/data/key': async ({ body }) => {
      const { source, closedCopies } = await (body.action === 'rotate' ? keyCare.rotate() : keyCare.move(body.to));
      return { keySource: viewSource(source), closedBackups: closedCopies };
    },
  };
}

function viewSource(source: DashboardParts['keyCare']['source']): 'keychain' | 'file' | 'variable' {
  return source === 'environment' ? 'variable' : source;
}
