import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { count } from '../project/compile-project.ts';
import type { ExportFile } from './export-file.ts';
import { readFunctionFiles } from './exported-functions.ts';
import { readHub } from './read-hub.ts';
import { PASSPHRASE_VARIABLE, readPassphrase } from './read-passphrase.ts';
import { sealSecrets } from './sealed-secrets.ts';

export interface ExportOptions {
  environment: string;
  credentials?: boolean;
  passphraseFile?: string;
  functions?: string;
}

/** Writes an environment into one file. */
export async function runExport(context: CliContext, path: string, options: ExportOptions): Promise<void> {
  const { terminal, clock } = context;
  const passphrase = await readPassphrase(context, options);
  if (options.credentials && passphrase === undefined)
    throw new CliFailure(
      `Credentials are only exported under a passphrase. Give one with --passphrase-file or ${PASSPHRASE_VARIABLE}.`,
      EXIT.usage,
    );
  const hub = await context.hubs.open(options.environment);
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
    ...(options.credentials && passphrase !== undefined ? { secrets: await sealSecrets(secrets, passphrase) } : {}),
  };
  // Removed first: `mode` counts only for a file that is made anew.
  await rm(resolve(context.cwd, path), { force: true });
  await writeFile(resolve(context.cwd, path), `${JSON.stringify(exported, null, 2)}\n`, { mode: 0o600 });
  const { integrations, connections } = exported;
  const counts = {
    integrations: integrations.length,
    connections: connections.length,
    functions: Object.keys(exported.functions).length,
  };
  terminal.printJson({ file: path, ...counts, hasCredentials: exported.secrets !== undefined });
  terminal.print(
    `${terminal.colors.green('✓')} ${count(counts.integrations, 'integration')}, ${count(counts.connections, 'connection')}, ${count(counts.functions, 'file')} of functions in ${path}`,
  );
  if (exported.secrets) return;
  terminal.note('Without credentials: whoever imports this connects anew. Add --credentials to take them along.');
  for (const part of exported.left_out) terminal.note(`left out, it is secret: ${part}`);
}
