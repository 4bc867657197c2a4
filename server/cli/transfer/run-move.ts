import type { ExportFile } from '../../data/transfer/export-file.ts';
import { readFunctionFiles, withFunctionFiles } from '../../data/transfer/exported-functions.ts';
import { type MovedFunction, type MoveRow, moveHub, NOT_MOVED } from '../../data/transfer/move-hub.ts';
import { readHub } from '../../data/transfer/read-hub.ts';
import { restoreSecrets } from '../../data/transfer/withheld-secrets.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import { HubClient, refusalLines } from '../hub/hub-client.ts';
import { compileProject, count, isFailing } from '../project/compile-project.ts';
import { moveRecords } from './move-records.ts';
import { MOVE_KEY_VARIABLE, readSecretFile } from './read-passphrase.ts';

export interface MoveCommandOptions {
  environment: string;
  keyFile?: string;
  records?: boolean;
  replace?: boolean;
  dryRun?: boolean;
}

/** Plans, asks, moves, and says of every part what became of it. */
export async function runMove(context: CliContext, address: string, options: MoveCommandOptions): Promise<void> {
  const { terminal } = context;
  const source = await context.hubs.open(options.environment);
  const target = await openTarget(context, address, options);
  if (source.baseUrl === target.baseUrl)
    throw new CliFailure(`${address} is the hub that you move from. Give the address of the other one.`, EXIT.usage);
  await checkTarget(target);
  const contents = await terminal.progress('reading', () => readSource(context, source, options.environment));
  const part = { target, programVersion: context.resources.version, replaces: options.replace ?? false, ...contents };
  const from = { source, environment: options.environment };
  const move = async function* (isPlan: boolean): AsyncGenerator<MoveRow> {
    const records = (): AsyncGenerator<MoveRow> =>
      moveRecords(context, {
        ...from,
        target,
        connections: contents.file.connections,
        isPlan,
        replaces: part.replaces,
      });
    yield* moveHub({ ...part, isPlan, ...(options.records ? { moveRecords: records } : {}) });
    yield* contents.broken;
  };
  const stays = options.records ? NOT_MOVED : [{ name: 'records', why: '--records takes them along' }, ...NOT_MOVED];
  const plan = await collect(context, 'planning', move(true));
  const changes = plan.filter(({ state }) => state === 'created' || state === 'changed').length;
  show(context, plan, true);
  if (options.dryRun || changes === 0) {
    terminal.printJson({ target: target.baseUrl, dry_run: options.dryRun ?? false, rows: plan, not_moved: stays });
    showRest(context, stays);
    terminal.print(changes === 0 ? 'There is nothing to move.' : `${count(changes, 'change')}. Nothing was moved yet.`);
    return endWith(plan);
  }
  await confirm(context, `Move ${count(changes, 'part')} with credentials and secrets to ${target.baseUrl}?`);
  const rows = await collect(context, 'moving', move(false));
  terminal.printJson({ target: target.baseUrl, dry_run: false, rows, not_moved: stays });
  show(context, rows, false);
  showRest(context, stays);
  terminal.note(
    'Both servers now have the same accounts. Where a provider gives a refresh token only once, use one of the two: pause the schedules here, or delete the connections.',
  );
  endWith(rows);
}

async function openTarget(context: CliContext, address: string, options: MoveCommandOptions): Promise<HubClient> {
  const url = URL.parse(address.trim());
  if (!url || !/^https?:$/.test(url.protocol))
    throw new CliFailure(`${address} is no address. Write it with http:// or https://.`, EXIT.usage);
  const given =
    options.keyFile === undefined ? context.env[MOVE_KEY_VARIABLE] : await readSecretFile(context, options.keyFile);
  const secretKey =
    given ??
    (await context.terminal.ask(
      `Secret key of an environment of ${url.host}:`,
      `The key of the other server is missing. Give it with --key-file or ${MOVE_KEY_VARIABLE}.`,
      { isHidden: true },
    ));
  const baseUrl = `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
  return new HubClient({ baseUrl, secretKey: secretKey.trim(), fetch });
}

/** Before anything is read: whether this is such a server, and takes the key. */
async function checkTarget(target: HubClient): Promise<void> {
  const { host } = new URL(target.baseUrl);
  const { status, body } = await target.send('GET', '/integrations').catch((error: unknown) => {
    if (error instanceof CliFailure) throw new CliFailure(`No server answers at ${target.baseUrl}.`, EXIT.stopped);
    throw error;
  });
  if (status === 401 || status === 403)
    throw new CliFailure(`${host} refuses the key: ${refusalLines(status, body).join('; ')} Give another one.`);
  if (status >= 400 || !isJsonObject(body) || !Array.isArray(body['data']))
    throw new CliFailure(`${host} does not answer as this API does (status ${status}). Check the address.`);
}

async function readSource(context: CliContext, source: HubClient, environment: string) {
  const { secrets, functions: deployed, ...contents } = await readHub(source);
  const folder = await context.hubs.functionsFolder();
  const files = { ...deployed, ...(folder === undefined ? {} : await readFunctionFiles(folder)) };
  const exported: ExportFile = {
    format: 'homeport-export',
    version: 1,
    exported_at: new Date(context.clock.now()).toISOString(),
    environment,
    ...contents,
    functions: files,
  };
  const keys = new Set(exported.integrations.map(({ unique_key }) => unique_key));
  const { functions, diagnostics } = await withFunctionFiles(files, async (root) => {
    await using engine = await context.openEngine({ root, hasMarker: false });
    return await compileProject(engine.compiler, ({ integration }) => keys.has(integration));
  });
  const broken = diagnostics
    .filter((one) => isFailing(one) && !functions.some(({ path }) => path === one.file))
    .map(({ file, message }): MoveRow => ({ kind: 'function', name: file, state: 'failed', detail: message }));
  const moved = functions.map((one): MovedFunction => one);
  return { file: restoreSecrets(exported, secrets.withheld), secrets, functions: moved, broken };
}

/** The rows, also when the other server stops answering or the person interrupts. */
async function collect(context: CliContext, doing: string, rows: AsyncGenerator<MoveRow>): Promise<MoveRow[]> {
  const { signal, terminal } = context;
  const found: MoveRow[] = [];
  try {
    await terminal.progress(doing, async () => {
      for await (const row of rows) {
        found.push(row);
        if (signal.aborted) throw new CliFailure('Interrupted.', EXIT.interrupted);
      }
    });
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    show(context, found, doing === 'planning');
    // The rest of the sentence is about the own hub.
    const said = error.status === EXIT.stopped ? `${error.message.split('. ')[0]}.` : error.message;
    throw new CliFailure(
      `${said} ${count(found.length, 'part')} ${found.length === 1 ? 'was' : 'were'} looked at until then. Run the same command again: it goes on where it ended.`,
      error.status,
    );
  }
  return found;
}

const WORDS = {
  plan: { there: 'there', created: 'create', changed: 'change', differs: 'differs', failed: 'cannot go' },
  done: { there: 'there', created: 'created', changed: 'changed', differs: 'differs', failed: 'could not go' },
} as const;

function show({ terminal }: CliContext, rows: readonly MoveRow[], isPlan: boolean): void {
  const words = WORDS[isPlan ? 'plan' : 'done'];
  terminal.table(
    ['STATE', 'KIND', 'NAME', 'WHY'],
    rows.map(({ state, kind, name, detail }) => [words[state], kind, name, detail ?? '']),
  );
}

function showRest({ terminal }: CliContext, stays: typeof NOT_MOVED): void {
  terminal.print('');
  terminal.table(
    ['DOES NOT GO', 'WHY'],
    stays.map(({ name, why }) => [name, why]),
  );
}

function endWith(rows: readonly MoveRow[]): void {
  const left = rows.filter(({ state }) => state === 'failed' || state === 'differs');
  if (left.length === 0) return;
  throw new CliFailure(
    `${count(left.length, 'part')} ${left.length === 1 ? 'is' : 'are'} not there as here; WHY says the reason.`,
  );
}
