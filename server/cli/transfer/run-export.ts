import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { packArchive } from '../../data/transfer/export-archive.ts';
import type { ExportFile } from '../../data/transfer/export-file.ts';
import { readFunctionFiles } from '../../data/transfer/exported-functions.ts';
import { readHub } from '../../data/transfer/read-hub.ts';
import { sealSecrets } from '../../data/transfer/sealed-secrets.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import { count } from '../project/compile-project.ts';
import { asFailure } from './as-failure.ts';
import { PASSPHRASE_VARIABLE, readPassphrase } from './read-passphrase.ts';

export interface ExportOptions {
  environment: string;
  credentials?: boolean;
  passphraseFile?: string;
  functions?: string;
}

/** Writes an environment to one file, a ZIP file if its name ends so. Asks before it replaces a file. */
export async function runExport(context: CliContext, name: string, options: ExportOptions): Promise<void> {
  const { terminal, clock } = context;
  const path = resolve(context.cwd, name);
  const passphrase = await readPassphrase(context, options);
  if (options.credentials && passphrase === undefined)
    throw new CliFailure(
      `Credentials are only exported under a passphrase. Give one with --passphrase-file or ${PASSPHRASE_VARIABLE}.`,
      EXIT.usage,
    );
  const hub = await context.hubs.open(options.environment);
  if (existsSync(path)) await confirm(context, `${path} exists. Overwrite it?`);
  const { secrets, functions, ...contents } = await terminal.progress('reading', () => readHub(hub));
  const folder = options.functions ? resolve(context.cwd, options.functions) : await context.hubs.functionsFolder();
  const files = folder === undefined ? {} : await readFunctionFiles(folder);
  const exported: ExportFile = {
    format: 'homeport-export',
    version: 1,
    exported_at: new Date(clock.now()).toISOString(),
    environment: options.environment,
    ...contents,
    functions: { ...functions, ...files },
    ...(options.credentials && passphrase !== undefined
      ? { secrets: await asFailure(() => sealSecrets(secrets, passphrase)) }
      : {}),
  };
  const isZip = /\.(zip|homeport)$/i.test(path);
  await writeWhole(path, isZip ? await packArchive(exported) : `${JSON.stringify(exported, null, 2)}\n`);
  const { integrations, connections } = exported;
  const counts = {
    integrations: integrations.length,
    connections: connections.length,
    functions: Object.keys(exported.functions).length,
  };
  terminal.printJson({ file: name, ...counts, hasCredentials: exported.secrets !== undefined });
  terminal.print(
    `${terminal.colors.green('✓')} ${count(counts.integrations, 'integration')}, ${count(counts.connections, 'connection')}, ${count(counts.functions, 'file')} of functions in ${name}`,
  );
  if (exported.secrets) return;
  terminal.note(
    'Without credentials: after an import every account has to be connected again. Add --credentials to take them along.',
  );
  for (const part of exported.left_out) terminal.note(`left out, it is secret: ${part}`);
}

/** Writes to a temporary name first, so that a full disk does not damage the existing file. */
async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const part = `${path}.part`;
  try {
    await rm(part, { force: true });
    await writeFile(part, content, { mode: 0o600, flag: 'wx' });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
