import { revealCredential } from '../connections/credential-fields.dashboard.ts';
import { findConnection } from '../connections/resolve-connection.api.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { sessionIdOf } from '../dashboard/api/session-cookie.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { RevealTarget } from './dashboard-reveal.contract.ts';
import type { Environment } from './environment.service.ts';

type Use = Pick<DashboardParts, 'environments' | 'integrations' | 'connections' | 'logger' | 'dashboardLogin'>;

export function revealRoutes(use: Use): DashboardHandlers<'POST /api/v1/reveal'> {
  return {
    'POST /api/v1/reveal': async ({ environment, body, response }) => {
      const value = await readSecret(use, environment, body);
      if (value === undefined) throw new HomeportError('not_found', 'There is no such secret.');
      const isCommandLine = await use.dashboardLogin.isCommandLine(sessionIdOf(response));
      // One for every command would hide the others; the audit has them all.
      if (isCommandLine && body.kind === 'secret_key' && body.isForCall) return { value };
      const message = isCommandLine ? 'the command line read a secret' : 'a secret was shown in the dashboard';
      use.logger.info({ environment: environment.name, ...body }, message);
      return { value };
    },
  };
}

async function readSecret(use: Use, environment: Environment, target: RevealTarget): Promise<string | undefined> {
  if (target.kind === 'secret_key') return use.environments.revealSecretKey(environment.id);
  if (target.kind === 'signing_key') return use.environments.signingKeys.reveal(environment.id);
  if (target.kind === 'variable') {
    const variables = await use.environments.listVariables(environment.id);
    return variables.find(({ name }) => name === target.name)?.value;
  }
  if (target.kind === 'otlp_header') {
    const headers = await use.environments.otlpHeaders.list(environment.id);
    return headers.find(({ name }) => name === target.name)?.value;
  }
  if (target.kind === 'integration')
    return (await use.integrations.readConfig(environment.id, target.integrationKey))[target.field];
  const { connection } = await findConnection(use, environment, target);
  return revealCredential(await use.connections.credentials.read(connection), target.field);
}
