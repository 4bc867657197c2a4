import type { ExaminedDataFile, OfflineData } from '../../offline-data.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT, fileFailure } from '../cli-failure.ts';
import { DashboardSession } from './dashboard-session.ts';

export const SOURCES = { keychain: 'the keychain', file: 'the key file', variable: 'HOMEPORT_MASTER_KEY' } as const;

/** Loads database and vault, which no other command needs. */
export const loadOffline = () => import('../../offline-data.ts');

/** The configuration with the master key. Other commands do not get the key. */
export function folderOf({ config, env }: CliContext): CliContext['config'] {
  const masterKey = env['HOMEPORT_MASTER_KEY'];
  return masterKey ? { ...config, masterKey } : config;
}

interface DataWork<T> {
  hub(session: DashboardSession): Promise<T>;
  folder(data: OfflineData): Promise<T>;
}

/**
 * Lets the running hub do the work, so that its state stays correct. Without a hub the work is done on the locked
 * folder, so that no hub can start on it meanwhile.
 */
export async function withData<T>(context: CliContext, work: DataWork<T>): Promise<T> {
  const session = await DashboardSession.open(context.config.home, fetch);
  if (session) return work.hub(session);
  const { OfflineData } = await loadOffline();
  const data = await explained(OfflineData.open(folderOf(context), context.clock));
  try {
    return await explained(work.folder(data));
  } finally {
    await data.close();
  }
}

export async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && EXPECTED.has(error.name)) throw new CliFailure(error.message);
    throw fileFailure(error) ?? error;
  }
}

/** Errors of the data folder whose message is written for the user. */
const EXPECTED = new Set([
  'DamagedDatabaseError',
  'DiskFullError',
  'FolderInUseError',
  'KeychainUnavailableError',
  'MasterKeyError',
  'StartError',
]);

export async function requireDatabase(data: OfflineData): Promise<void> {
  if (!(await data.exists())) throw new CliFailure(`There is no database ${data.file} yet.`);
}

type Usability = Pick<ExaminedDataFile, 'problems' | 'isHomeport'>;

export function refuseUnusable(what: string, examined: Usability): void {
  const failure = unusable(what, examined);
  if (failure) throw failure;
}

/** Why a file is no database that can be used; undefined when it is one. */
export function unusable(what: string, { problems, isHomeport }: Usability): CliFailure | undefined {
  if (problems.length > 0)
    return new CliFailure(`${what} is damaged: ${problems.join(' ')}`, EXIT.failed, {
      code: 'damaged_database',
      problems,
    });
  return isHomeport ? undefined : new CliFailure(`${what} is not a database of Homeport.`);
}

/** The source of the master key in JSON: one word for a hub that runs and for a data folder. */
export function sourceName(source: string | undefined): string | null {
  return source === 'environment' ? 'variable' : (source ?? null);
}

export function sourceText(source: string): string {
  return source === 'environment' ? SOURCES.variable : (SOURCES[source as keyof typeof SOURCES] ?? source);
}
