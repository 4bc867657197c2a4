import type {
  NewRecordDestinationInput,
  RecordDestinationDetail,
  RecordDestinationView,
} from '../../destinations/destinations.contract.ts';
import { localTime } from '../../platform/lib/local-time.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import type { HubClient } from '../hub/hub-client.ts';
import { readNamedSource } from '../project/json-argument.ts';

export interface DestinationOptions {
  environment: string;
}

export interface NewDestinationOptions extends DestinationOptions {
  postgres?: string;
  folder?: string;
  url?: string;
  schema?: string;
  tls?: 'off' | 'encrypt' | 'verify';
  ca?: string;
  token?: string;
  mark?: boolean;
  only: string[];
  model: string[];
  connection: string[];
  test?: boolean;
}

const PATH = '/records/destinations';

export async function listDestinations({ hubs, terminal }: CliContext, environment: string): Promise<void> {
  const rows = await readAll(await hubs.open(environment));
  terminal.printJson(rows);
  terminal.table(
    ['DESTINATION', 'KIND', 'WHERE', 'STATE', 'WAITING', 'LAST DELIVERY', 'ERROR'],
    rows.map((row) => [
      row.name,
      row.kind,
      row.target,
      stateOf(row),
      waitingOf(row),
      row.delivered_at === null ? '-' : localTime(row.delivered_at),
      row.error?.message ?? '-',
    ]),
  );
}

export async function showDestination(
  { hubs, terminal }: CliContext,
  name: string,
  environment: string,
): Promise<void> {
  const hub = await hubs.open(environment);
  const { id } = await find(hub, name);
  const { data } = await hub.call<{ data: RecordDestinationDetail }>('GET', `${PATH}/${id}`);
  terminal.printJson(data);
  terminal.print(`${data.name} (${data.kind}) to ${data.target}: ${stateOf(data)}, waiting: ${waitingOf(data)}`);
  if (data.error) terminal.print(data.error.message);
  terminal.table(
    ['INTEGRATION', 'MODEL', 'CONNECTIONS', 'DELIVERED', 'WAITING'],
    data.progress.map((one) => [
      one.integration,
      one.model,
      String(one.connections),
      String(one.delivered),
      waitingOf(one),
    ]),
  );
}

export async function createDestination(
  context: CliContext,
  name: string,
  options: NewDestinationOptions,
): Promise<void> {
  const { hubs, terminal } = context;
  const body = await bodyOf(context, name, options);
  const hub = await hubs.open(options.environment);
  if (options.test) {
    const { data } = await hub.call<{ data: Tested }>('POST', `${PATH}/test`, { body });
    return sayTest(context, data);
  }
  const { data } = await hub.call<{ data: RecordDestinationDetail }>('POST', PATH, { body });
  terminal.printJson(data);
  terminal.print(`${terminal.colors.green('✓')} ${data.name} gets records from now on (id ${data.id})`);
}

/** Options that belong to one kind. */
const ONLY_FOR = { schema: 'postgres', tls: 'postgres', ca: 'postgres', mark: 'postgres', token: 'url' } as const;

async function bodyOf(
  context: CliContext,
  name: string,
  options: NewDestinationOptions,
): Promise<NewRecordDestinationInput> {
  const { ca, connection, folder, mark, model, only, postgres, schema, tls, token, url } = options;
  const kinds = [postgres, folder, url].filter((one) => one !== undefined);
  if (kinds.length !== 1)
    throw new CliFailure('Say where records should go: one of --postgres, --folder and --url.', EXIT.usage);
  const kind = postgres !== undefined ? 'postgres' : folder !== undefined ? 'folder' : 'url';
  const stray = Object.entries(ONLY_FOR).find(
    ([option, of]) => of !== kind && options[option as keyof typeof ONLY_FOR] !== undefined,
  );
  if (stray) throw new CliFailure(`--${stray[0]} is only for --${stray[1]}.`, EXIT.usage);
  const read = (option: string, text: string): Promise<string> | string =>
    text.startsWith('@') ? readNamedSource(option, text.slice(1), context) : text;
  const common = { name, integrations: only, models: model, connections: connection };
  if (postgres !== undefined)
    return {
      ...common,
      kind: 'postgres',
      connection_string: (await read('--postgres', postgres)).trim(),
      ...(schema === undefined ? {} : { schema }),
      ...(tls === undefined ? {} : { tls }),
      ...(ca === undefined ? {} : { ca_certificate: await readNamedSource('--ca', ca, context) }),
      deletions: mark ? 'mark' : 'delete',
    };
  if (folder !== undefined) return { ...common, kind: 'ndjson', folder };
  return {
    ...common,
    kind: 'http',
    url: url ?? '',
    token: token === undefined ? null : (await read('--token', token)).trim(),
  };
}

interface Tested {
  ok: boolean;
  message: string;
}

export async function testDestination(context: CliContext, name: string, environment: string): Promise<void> {
  const hub = await context.hubs.open(environment);
  const { id } = await find(hub, name);
  sayTest(context, (await hub.call<{ data: Tested }>('POST', `${PATH}/${id}/test`)).data);
}

function sayTest({ terminal }: CliContext, { message, ok }: Tested): void {
  if (!ok) throw new CliFailure(message);
  terminal.printJson({ ok, message });
  terminal.print(`${terminal.colors.green('✓')} ${message}`);
}

export async function commandDestination(
  { hubs, terminal }: CliContext,
  { act, done, environment, name }: { act: string; done: string; environment: string; name: string },
): Promise<void> {
  const hub = await hubs.open(environment);
  const { id } = await find(hub, name);
  const { data } = await hub.call<{ data: RecordDestinationDetail }>('POST', `${PATH}/${id}/${act}`);
  terminal.printJson(data);
  terminal.print(`${terminal.colors.green('✓')} ${data.name} ${done}`);
}

export async function replayDestination(
  { hubs, terminal }: CliContext,
  name: string,
  { environment, from }: DestinationOptions & { from?: string },
): Promise<void> {
  const at = from === undefined ? null : Date.parse(from);
  if (Number.isNaN(at)) throw new CliFailure(`"${from}" is not a time. Write it as 2026-01-31T00:00:00Z.`, EXIT.usage);
  const hub = await hubs.open(environment);
  const { id } = await find(hub, name);
  const body = { from: at === null ? null : new Date(at).toISOString() };
  const { data } = await hub.call<{ data: RecordDestinationDetail }>('POST', `${PATH}/${id}/replay`, { body });
  terminal.printJson(data);
  terminal.print(
    `${terminal.colors.green('✓')} ${data.name} gets ${from === undefined ? 'everything' : `changes since ${from}`} again`,
  );
}

export async function deleteDestination(context: CliContext, name: string, environment: string): Promise<void> {
  const { hubs, terminal } = context;
  const hub = await hubs.open(environment);
  const found = await find(hub, name);
  await confirm(context, `It gets no more records; what it has stays. Delete the destination ${found.name}?`);
  await hub.call('DELETE', `${PATH}/${found.id}`);
  terminal.printJson({ deleted: found.id, name: found.name });
  terminal.print(`${terminal.colors.green('✓')} ${found.name} deleted`);
}

async function readAll(hub: HubClient): Promise<RecordDestinationView[]> {
  return (await hub.call<{ data: RecordDestinationView[] }>('GET', PATH)).data;
}

async function find(hub: HubClient, wanted: string): Promise<RecordDestinationView> {
  const found = (await readAll(hub)).find(({ id, name }) => id === wanted || name === wanted);
  if (found) return found;
  throw new CliFailure(`There is no destination "${wanted}". "homeport destinations list" shows all of them.`);
}

const stateOf = ({ state }: RecordDestinationView): string => state.replaceAll('_', ' ');

const waitingOf = ({ lag_seconds, waiting }: { lag_seconds: number; waiting: number }): string =>
  waiting === 0 ? '-' : `${waiting}, ${Math.round(lag_seconds)} s behind`;
