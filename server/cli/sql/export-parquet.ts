import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../platform/lib/make-folder.ts';
import { portablePaths } from '../../platform/lib/portable-file-name.ts';
import { viewsOfRecords } from '../../queries/queries.contract.ts';
import { sqlView } from '../../queries/sql-text.contract.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT, fileFailure } from '../cli-failure.ts';
import { readViews, saveAnswer } from './sql-answer.ts';

export interface ParquetOptions {
  environment: string;
  parquet?: string;
  history?: boolean;
}

/** One Parquet file for each model, below a folder. */
export async function exportParquet(
  context: CliContext,
  file: string | undefined,
  { environment, history = false, parquet = '' }: ParquetOptions,
): Promise<void> {
  const { terminal } = context;
  if (file !== undefined) throw new CliFailure('Name a file or --parquet <folder>, not both.', EXIT.usage);
  const folder = resolve(context.cwd, parquet);
  const hub = await context.hubs.open(environment);
  const views = viewsOfRecords(await readViews(hub), history);
  const paths = portablePaths(views, '.parquet');
  const files: Array<{ view: string; file: string; row_count: number }> = [];
  for (const [index, view] of views.entries()) {
    const path = paths[index] ?? '';
    const target = join(folder, path);
    await makeFolder(dirname(target)).catch((error: unknown) => {
      throw fileFailure(error) ?? error;
    });
    const row_count = await saveAnswer(context, hub, { sql: `FROM ${sqlView(view)}`, stream: true }, target);
    files.push({ view: sqlView(view), file: path, row_count });
  }
  terminal.printJson({ folder, files });
  terminal.table(
    ['VIEW', 'FILE', 'ROWS'],
    files.map((one) => [one.view, one.file, one.row_count.toLocaleString('en')]),
  );
  terminal.note('The files are not encrypted.');
}
