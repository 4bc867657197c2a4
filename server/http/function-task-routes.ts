import type { Route } from './route.ts';
import { compileCode } from './routes/functions/compile-code.ts';
import {
  type CodeDeploymentUse,
  deployBundle,
  deployCode,
  getCodeDeployment,
  previewBundle,
} from './routes/functions/deploy-code.ts';
import { type DryRunUse, getDryRun, startDryRun } from './routes/functions/dry-runs.ts';
import { type InvokeUse, invokeFunction } from './routes/functions/invoke-function.ts';

export type FunctionTaskUse = CodeDeploymentUse &
  DryRunUse &
  InvokeUse &
  Parameters<typeof compileCode>[0] &
  Parameters<typeof getDryRun>[0];

/** The functions API (http-api.md 14): code that is sent as text is compiled, tried and deployed. */
export function functionTaskRoutes(use: FunctionTaskUse): Route[] {
  const row = (method: 'get' | 'post', path: string, scope: string, handler: Route['handler']): Route => ({
    method,
    path,
    access: 'key',
    scopes: [`environment:${scope}`],
    handler,
  });
  return [
    row('post', '/functions/compile', 'functions:compile', compileCode(use)),
    row('post', '/functions/dryruns', 'functions:dryrun', startDryRun(use)),
    row('get', '/functions/dryruns/:id', 'functions:dryrun', getDryRun(use)),
    row('post', '/functions/deployments', 'deploy', deployCode(use)),
    row('post', '/functions/deployments/bundle', 'deploy', deployBundle(use)),
    row('post', '/functions/deployments/bundle/preview', 'deploy', previewBundle(use)),
    row('get', '/functions/deployments/:id', 'deploy', getCodeDeployment(use)),
    row('post', '/functions/invocations', 'functions:invocations', invokeFunction(use)),
  ];
}
