import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { ChangedKey, ChangeKey, MasterKeyState } from '../../data/dashboard-data.contract.ts';
import type { ExaminedDataFile, OfflineData } from '../../offline-data.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirmOption, environmentOption } from '../command-options.ts';
import { confirm } from '../confirm.ts';
import {
  folderOf,
  refuseUnusable,
  requireDatabase,
  SOURCES,
  sourceName,
  sourceText,
  withData,
} from '../hub/data-access.ts';
import { revealKey } from '../hub/hub-access.ts';

const NEW_KEY_VARIABLE = 'HOMEPORT_NEW_MASTER_KEY';

/** Commands for the master key. A running hub does them; otherwise the command works on the data folder itself. */
export function addKey(program: Command, context: CliContext): void {
  const key = program
    .command('key')
    .description(
      'the secret key of an environment, and the master key, which opens the sealed data of the data folder',
    );
  environmentOption(key.command('show'))
    .description('print the secret key of an environment, which apps and clients call the API with')
    .action(({ environment }: { environment: string }) => showSecretKey(context, environment));
  key
    .command('status')
    .description('where the master key is, and whether it opens the data')
    .action(() => showKey(context));
  confirmOption(key.command('rotate'))
    .description(`replace it by a new one; a key from HOMEPORT_MASTER_KEY by the one in ${NEW_KEY_VARIABLE}`)
    .action(() => rotateKey(context));
  confirmOption(key.command('move'))
    .description('keep it elsewhere: keychain or file')
    .argument('<to>')
    .action((to: string) => moveKey(context, to));
  confirmOption(key.command('reset'))
    .description('make a new one when it is lost: what is sealed is removed, the rest is kept; the hub must not run')
    .action(() => resetKey(context));
}

async function showSecretKey({ hubs, terminal }: CliContext, environment: string): Promise<void> {
  const secretKey = await revealKey(await hubs.logIn(), environment);
  terminal.printJson({ environment, secret_key: secretKey });
  terminal.printValue(secretKey);
}

async function showKey(context: CliContext): Promise<void> {
  const { terminal } = context;
  const found = await withData<Pick<ExaminedDataFile, 'keyProblem'> & { keySource: string | undefined }>(context, {
    hub: async (hub) => {
      const { keySource, problem } = await hub.call<MasterKeyState>('GET', '/api/v1/data/key');
      if (problem !== null) throw lostKey(context, keySource, problem);
      return { keySource, keyProblem: undefined };
    },
    folder: async (data) => {
      await requireDatabase(data);
      return data.examine();
    },
  });
  if (found.keySource === undefined)
    throw new CliFailure(
      `${found.keyProblem} Put the key back (from a copy of your keychain or of master.key). If it is lost: \`homeport key reset\` creates a new one and keeps all data that is not sealed; the accounts must then be connected again.`,
    );
  terminal.printJson({ source: sourceName(found.keySource) });
  terminal.print(`The master key is in ${sourceText(found.keySource)} and opens the data.`);
}

/** The hub still has the key in memory, so the data can be saved. */
function lostKey({ config }: CliContext, keySource: MasterKeyState['keySource'], problem: string): CliFailure {
  const file = join(config.home, 'master.key');
  const what =
    keySource === 'file' && !existsSync(file)
      ? `The key file ${file} is gone.`
      : `The master key was not found. ${problem}`;
  const wayOut =
    keySource === 'variable'
      ? 'Set it to the key of this data folder'
      : 'Put the key back, or let the hub make a new one now: homeport key rotate';
  return new CliFailure(
    `${what} The running hub works until it ends; its next start does not open the data. ${wayOut}.`,
  );
}

async function rotateKey(context: CliContext): Promise<void> {
  const given = context.env[NEW_KEY_VARIABLE];
  await confirm(context, 'Copies of backups outside the data folder keep needing the old key. Replace the master key?');
  const changed = await changeKey(context, { action: 'rotate' }, async (data) => {
    const { keySource, keyProblem } = await data.examine();
    if (keySource === undefined) throw new CliFailure(keyProblem ?? 'No master key opens the data.');
    if (keySource !== 'environment') return data.changeKey({ key: 'new', to: keySource });
    if (given === undefined)
      throw new CliFailure(
        `The master key comes from HOMEPORT_MASTER_KEY. Put the new one (base64 of 32 bytes) into ${NEW_KEY_VARIABLE}.`,
        EXIT.usage,
      );
    return data.changeKey({ key: decodeNewKey(given), to: 'environment' });
  });
  report(context, 'replaced', changed);
  if (changed.keySource === 'variable')
    context.terminal.note(`Set HOMEPORT_MASTER_KEY to what ${NEW_KEY_VARIABLE} holds before the next start.`);
}

async function moveKey(context: CliContext, to: string): Promise<void> {
  if (to !== 'keychain' && to !== 'file') throw new CliFailure('Say where to: keychain or file.', EXIT.usage);
  if (to === 'file')
    await confirm(
      context,
      'Who can read your files can read a key file. Keep the master key in a file of the data folder?',
    );
  const changed = await changeKey(context, { action: 'move', to }, async (data) => {
    const { keySource } = await data.examine();
    if (keySource === to) throw new CliFailure(`The master key is in ${SOURCES[to]} already.`);
    return data.changeKey({ key: 'same', to });
  });
  report(context, 'moved', changed);
  if (folderOf(context).masterKey !== undefined)
    context.terminal.note('HOMEPORT_MASTER_KEY is still set and hides it; unset it before the next start.');
}

async function resetKey(context: CliContext): Promise<void> {
  const { finish, ids, terminal } = context;
  await withData(context, {
    hub: () => {
      throw new CliFailure('The hub runs on this data folder with its master key. Stop it first.');
    },
    folder: async (data) => {
      await requireDatabase(data);
      const found = await data.examine();
      refuseUnusable(data.file, found);
      if (found.keySource !== undefined)
        throw new CliFailure(
          `The master key (${sourceText(found.keySource)}) opens the data. \`homeport key rotate\` replaces it and keeps everything.`,
        );
      const hidden = await data.findHiddenKey();
      if (hidden !== undefined)
        throw new CliFailure(
          `HOMEPORT_MASTER_KEY does not open the data, but ${sourceText(hidden)} does. Unset HOMEPORT_MASTER_KEY.`,
        );
      terminal.note(found.keyProblem ?? '');
      await confirm(
        context,
        'Integrations, connections with tags and metadata, settings and functions are kept, and a backup is made first. Remove what only the lost key opens (credentials, records, API keys, variables, headers for telemetry, further webhook destinations, record destinations, kept webhooks, saved inputs)?',
      );
      const reset = await terminal.progress('Resetting', () => finish(() => data.resetKey(ids)));
      reportReset(context, reset);
    },
  });
}

function reportReset({ terminal }: CliContext, { kept, lost, keys, backup, keySource }: ResetData): void {
  terminal.printJson({
    source: sourceName(keySource),
    kept,
    lost: {
      app_credentials: lost.appCredentials,
      connection_credentials: lost.connectionCredentials,
      records: lost.records,
      api_keys: lost.apiKeys,
      variables: lost.variables,
      signing_keys: lost.signingKeys,
      otlp_headers: lost.otlpHeaders,
      approvals_tokens: lost.approvalsTokens,
      webhook_destinations: lost.webhookDestinations,
      record_destinations: lost.recordDestinations,
      webhooks: lost.webhooks,
      deliveries: lost.deliveries,
      actions: lost.actions,
      playground_inputs: lost.playgroundInputs,
      playground_runs: lost.playgroundRuns,
      traffic_recordings: lost.trafficRecordings,
      sessions: lost.sessions,
      mcp_decisions: lost.mcpDecisions,
    },
    keys: keys.map(({ environment, secretKey }) => ({ environment, secret_key: secretKey })),
    backup,
  });
  const list = (counts: Array<[number, string, string?]>): string =>
    counts
      .flatMap(([number, one, more]) => (number > 0 ? `${number} ${number === 1 ? one : (more ?? `${one}s`)}` : []))
      .join(', ') || 'nothing';
  terminal.print(
    `${terminal.colors.green('✓')} The data folder has a new master key; it is in ${sourceText(keySource)}.`,
  );
  terminal.print(
    `  kept  ${list([
      [kept.environments, 'environment with its settings', 'environments with their settings'],
      [kept.integrations, 'integration'],
      [
        kept.connections,
        'connection with tags, metadata and end user',
        'connections with tags, metadata and end users',
      ],
      [kept.functions, 'function'],
    ])}`,
  );
  terminal.print(
    `  lost  ${list([
      [lost.appCredentials, 'app credential of an integration', 'app credentials of integrations'],
      [lost.connectionCredentials, 'credential of a connection', 'credentials of connections'],
      [lost.records, 'record'],
      [lost.apiKeys, 'API key'],
      [lost.variables, 'variable'],
      [lost.signingKeys, 'signing key'],
      [lost.otlpHeaders, 'list of headers for telemetry', 'lists of headers for telemetry'],
      [lost.approvalsTokens, 'token for questions of agents', 'tokens for questions of agents'],
      [lost.webhookDestinations, 'further webhook destination'],
      [lost.webhooks, 'kept webhook'],
      [lost.deliveries, 'webhook delivery', 'webhook deliveries'],
      [lost.actions, 'asynchronous action'],
      [lost.playgroundInputs, 'saved input of the playground', 'saved inputs of the playground'],
      [lost.playgroundRuns, 'run of the playground', 'runs of the playground'],
      [lost.trafficRecordings, 'recording of a request', 'recordings of requests'],
      [lost.sessions, 'session'],
      [lost.mcpDecisions, 'decision about an MCP tool', 'decisions about MCP tools'],
    ])}`,
  );
  for (const { environment, secretKey } of keys) terminal.print(`  secret key of ${environment}  ${secretKey}`);
  terminal.print(`  The previous data is in ${backup}; only the lost key opens it.`);
  terminal.note(
    'Next: start the hub, enter app credentials and webhook secrets of integrations (without them webhooks are accepted without a check of their signature), then reconnect the connections.',
  );
}

function changeKey(
  context: CliContext,
  body: ChangeKey,
  change: (data: OfflineData) => ReturnType<OfflineData['changeKey']>,
): Promise<ChangedKey> {
  return withData<ChangedKey>(context, {
    hub: (hub) => hub.call<ChangedKey>('POST', '/api/v1/data/key', { body }),
    folder: async (data) => {
      await requireDatabase(data);
      const { source, closedCopies } = await context.finish(() => change(data));
      return { keySource: source === 'environment' ? 'variable' : source, closedBackups: closedCopies };
    },
  });
}

function report({ terminal }: CliContext, what: string, { keySource, closedBackups }: ChangedKey): void {
  terminal.printJson({ source: keySource, closed_backups: closedBackups });
  terminal.print(`${terminal.colors.green('✓')} The master key was ${what}; it is in ${SOURCES[keySource]}.`);
  if (closedBackups > 0) terminal.note(`${closedBackups} of the backups belong to another key and stay as they are.`);
}

function decodeNewKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length === 32 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return key;
  throw new CliFailure(`${NEW_KEY_VARIABLE} is not base64 of 32 bytes.`, EXIT.usage);
}

type ResetData = Awaited<ReturnType<OfflineData['resetKey']>>;
