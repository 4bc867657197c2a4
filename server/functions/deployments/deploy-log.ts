import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { Operation, OperationEnd, OperationLog } from '../../log/operation.ts';
import type { FunctionKey } from '../functions.store.ts';
import type { DeployedFunction } from './deployed-function.ts';

export type DeployLog = ReturnType<typeof createDeployLog>;

/** Logs the outcome for files of the workspace: one operation each. */
export function createDeployLog(log: OperationLog) {
  function fail(key: FunctionKey, message: string, diagnostics: readonly CompileDiagnostic[]): void {
    const operation = start(key, message);
    for (const diagnostic of diagnostics) operation.log({ level: 'error', message: describe(diagnostic) });
    operation.finish('failed', asError(diagnostics));
  }

  function start(key: FunctionKey, message: string): Operation {
    return log.start({
      environmentId: key.environmentId,
      type: 'deploy',
      action: 'custom',
      message,
      integrationKey: key.integrationKey,
      functionName: key.name,
      trigger: 'workspace',
    });
  }

  return {
    deployed(deployed: DeployedFunction, warnings: readonly CompileDiagnostic[]): void {
      const operation = start(deployed, `Deployed ${deployed.type} ${deployed.name} version ${deployed.version}`);
      for (const warning of warnings) operation.log({ level: 'warn', message: describe(warning) });
      operation.finish('success', asError(warnings));
    },
    broken(deployed: DeployedFunction, diagnostics: readonly CompileDiagnostic[]): void {
      const kept =
        deployed.version === null ? 'It has no earlier version.' : `Version ${deployed.version} keeps running.`;
      fail(deployed, `${deployed.name} does not compile. ${kept}`, diagnostics);
    },
    /** The version runs all the same, so the deployment is a success with a warning. */
    typeErrors(deployed: DeployedFunction): void {
      const errors = deployed.problems.filter(({ severity }) => severity === 'error');
      const count = errors.length === 1 ? 'a type error' : `${errors.length} type errors`;
      const operation = start(deployed, `${deployed.name} has ${count}. Version ${deployed.version} runs anyway.`);
      for (const error of errors) operation.log({ level: 'warn', message: describe(error) });
      operation.finish('success', asError(errors));
    },
    removed(removed: DeployedFunction): void {
      start(removed, `Removed ${removed.type} ${removed.name}`).finish('success');
    },
    missing(missing: DeployedFunction): void {
      const operation = start(
        missing,
        `Switched off ${missing.type} ${missing.name}: its file ${missing.path} is missing`,
      );
      const message = 'Its syncs, their settings and its records are kept until the file is back.';
      operation.log({ level: 'warn', message });
      operation.finish('success', { error: { message, type: 'file_missing' } });
    },
    back(back: DeployedFunction): void {
      start(back, `${back.name} runs again: its file ${back.path} is back`).finish('success');
    },
    /** Logs that so many files are missing at once that no function was switched off, or that they are back. */
    held(environmentId: number, message: string, state: 'failed' | 'success' = 'failed'): void {
      const operation = log.start({
        environmentId,
        type: 'deploy',
        action: 'custom',
        message,
        trigger: 'workspace',
      });
      operation.finish(state, state === 'failed' ? { error: { message, type: 'files_missing' } } : {});
    },
  };
}

/** The first of them as the reason of the outcome; a success that has one is a success with a warning. */
function asError([first]: readonly CompileDiagnostic[]): Pick<OperationEnd, 'error'> {
  return first ? { error: { message: describe(first), type: first.code } } : {};
}

function describe({ file, line, column, message, typescriptCode }: CompileDiagnostic): string {
  return `${file}:${line}:${column} ${typescriptCode ? `${typescriptCode}: ` : ''}${message}`;
}
