import { arch, platform, release, totalmem } from 'node:os';
import type { Environment } from '../environments/environment.service.ts';
import type { DashboardParts } from './api/dashboard-parts.ts';
import type { DashboardHandlers } from './api/dashboard-route.ts';
import type { Diagnostics } from './dashboard-about.contract.ts';

type Use = Pick<
  DashboardParts,
  | 'about'
  | 'clock'
  | 'connections'
  | 'dataCare'
  | 'deployments'
  | 'environments'
  | 'integrations'
  | 'keyCare'
  | 'notifications'
>;

/**
 * Diagnostics that a person may give to a helper. They hold only counts, sizes, versions and names that the program
 * itself defines, and no name, address, text or value of a person, a function or a provider.
 */
export function diagnosticsRoutes(use: Use): DashboardHandlers<'GET /api/v1/diagnostics'> {
  return {
    'GET /api/v1/diagnostics': async (): Promise<Diagnostics> => {
      const environments = await Promise.all(use.environments.list().map((one) => describe(use, one)));
      return {
        fileName: `homeport-diagnostics-${new Date(use.clock.now()).toISOString().slice(0, 10)}.txt`,
        parts: [
          { title: 'Program', content: describeProgram(use) },
          { title: 'Health', content: describeHealth(use) },
          { title: 'Data', content: await describeData(use) },
          ...environments.map((content, index) => ({ title: `Environment ${index + 1}`, content })),
        ],
      };
    },
  };
}

const describeProgram = ({ about }: Use) => ({
  version: about.version,
  node: process.version,
  platform: `${platform()} ${release()} ${arch()}`,
  machineMemoryMb: megabytes(totalmem()),
  memoryMb: megabytes(process.memoryUsage.rss()),
  upSeconds: Math.round(process.uptime()),
  port: Number(new URL(about.apiUrl()).port || '80'),
});

function describeHealth({ about, dataCare, keyCare }: Use) {
  const { tunnelUrl, dataProblem: _, ...counts } = about.health();
  return {
    ...counts,
    keySource: keyCare.source,
    hasTunnel: tunnelUrl !== null,
    hasDataProblem: dataCare.problem !== undefined,
  };
}

async function describeData({ dataCare }: Use) {
  const { tables, ...disk } = await dataCare.measureDisk();
  const backups = await dataCare.listBackups();
  return {
    bytes: disk,
    tables: Object.fromEntries(tables.map(({ name, sizeBytes }) => [name, sizeBytes])),
    backups: backups.map(({ reason, sizeBytes }) => ({ reason, sizeBytes })),
  };
}

async function describe(use: Use, { id, settings }: Environment) {
  const { connections, deployments, environments, integrations, notifications } = use;
  const [integrationRows, byStatus, functions, variables, destinations] = await Promise.all([
    integrations.list(id),
    connections.countByStatus({ environmentId: id }),
    deployments.listWithoutRuns(id),
    environments.listVariableNames(id),
    notifications.destinations.listNames(id),
  ]);
  const { webhook } = settings;
  return {
    integrations: integrationRows.length,
    connections: Object.fromEntries(byStatus),
    functions: countBy(functions, ({ type }) => type),
    functionProblems: countBy(
      functions.flatMap(({ problems }) => problems),
      ({ code }) => String(code),
    ),
    switchedOffFunctions: functions.filter(({ isEnabled }) => !isEnabled).length,
    missingFunctions: functions.filter(({ missingSince }) => missingSince !== null).length,
    lastRuns: countBy(functions, ({ lastRun }) => lastRun?.state ?? 'none'),
    variables: variables.length,
    settings: {
      hasCallbackUrl: settings.callbackUrl !== null,
      hasPublicUrl: settings.publicUrl !== null,
      webhookAddresses: [webhook.primaryUrl, webhook.secondaryUrl].filter((url) => url !== null).length,
      webhookDestinations: destinations.size,
      logLevel: settings.logLevel,
      logRetentionDays: settings.logRetentionDays,
      logMegabytes: settings.logMegabytes,
      webhookRetentionDays: settings.webhookRetentionDays,
      recordPruneDays: settings.recordPruneDays,
      recordDeleteDays: settings.recordDeleteDays,
      allowedHosts: settings.allowedHosts.length,
    },
  };
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576);
