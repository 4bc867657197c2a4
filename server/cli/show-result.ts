import type { CompiledFunction } from '../../functions/compiler/compiled-function.ts';
import type { GuestLogEntry } from '../../functions/runtime/bridge.ts';
import { lastOfEach } from '../functions/dry-run/collected-records.ts';
import type { CliContext } from './cli-context.ts';
import type { DryRunResult } from './local-run/dry-run.ts';

/** Number of records shown at a time. */
const PAGE = 10;

export interface ShownRun {
  compiled: CompiledFunction;
  result: DryRunResult;
  logs: GuestLogEntry[];
}

/** Prints the result of a dry run: the output of an action, or counts and records of a sync (functions.md 8.2). */
export async function showResult(context: CliContext, { compiled, result, logs }: ShownRun): Promise<void> {
  const { terminal } = context;
  const output: unknown = result.outcome.ok ? JSON.parse(result.outcome.output) : null;
  if (compiled.kind !== 'sync') {
    terminal.printJson({ output, logs });
    if (compiled.kind === 'on-event')
      terminal.print(
        `${terminal.colors.green('✓')} The handler ended without an error. Metadata that it wrote is written.`,
      );
    else terminal.printValue(JSON.stringify(output, null, 2));
    return;
  }
  const { saved, updated, deleted } = result.records;
  const added = mapModels(saved, lastOfEach);
  const counts = { added: total(added), updated: total(updated), deleted: total(deleted) };
  terminal.printJson({ counts, added, updated, deleted, checkpoint: result.checkpoint, logs });
  terminal.print(`${counts.added} added, ${counts.updated} updated, ${counts.deleted} deleted`);
  for (const [what, models] of Object.entries({ added, updated, deleted })) {
    for (const [model, records] of Object.entries(models)) await showRecords(context, `${model} ${what}`, records);
  }
}

async function showRecords({ terminal, options }: CliContext, title: string, records: unknown[]): Promise<void> {
  const showsAll = !terminal.isInteractive || options.autoConfirm;
  terminal.print(terminal.colors.bold(title));
  for (let start = 0; start < records.length; start += PAGE) {
    if (start > 0 && !showsAll && !(await terminal.confirm(`Show ${records.length - start} more?`, ''))) return;
    for (const record of records.slice(start, start + PAGE)) terminal.printValue(JSON.stringify(record, null, 2));
  }
}

function total(models: Record<string, unknown[]>): number {
  return Object.values(models).reduce((sum, records) => sum + records.length, 0);
}

function mapModels(
  models: Record<string, unknown[]>,
  change: (records: unknown[]) => unknown[],
): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(models).map(([model, records]) => [model, change(records)]));
}
