import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { removeSecretVariables } from '../../config.ts';
import type { OpenedCommandRun } from '../../egress/dashboard-command-runs.contract.ts';
import { CliFailure } from '../cli-failure.ts';
import { isKeyVariable } from '../project-environment.ts';
import { OLDER_NODE_PROXY } from './older-node-proxy.ts';

type Environment = Record<string, string | undefined>;

export interface RunFiles {
  /** The certificate of the run, and those that the person added for Node. */
  added: string;
  /** The same and the authorities of this computer, for programs that use nothing else then. */
  complete: string;
  /** Loaded by Node before a program. */
  nodeProxy: string;
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
/** Programs would go around the proxy, or use another one. */
const REMOVED_VARIABLES = ['ALL_PROXY', 'all_proxy', 'HOMEPORT_LAUNCHER'];
/** Files that a program uses in the place of the authorities of this computer. */
const COMPLETE_VARIABLES = [
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'AWS_CA_BUNDLE',
  'CARGO_HTTP_CAINFO',
  'DENO_CERT',
];

/** Writes what the command reads into the folder of the run, which is removed with it. */
export async function writeRunFiles({ authority, folder }: OpenedCommandRun, env: Environment): Promise<RunFiles> {
  const own = await Promise.all(
    ['NODE_EXTRA_CA_CERTS', ...COMPLETE_VARIABLES].map((name) => readAuthorities(name, env[name])),
  );
  const [ofNode = '', ...ofOthers] = own;
  const known = [...getCACertificates('default'), ...getCACertificates('system')];
  const files = {
    added: join(folder, 'authority.pem'),
    complete: join(folder, 'authorities.pem'),
    nodeProxy: join(folder, 'node-proxy.cjs'),
  };
  await writeFile(files.nodeProxy, OLDER_NODE_PROXY, { mode: 0o600 });
  await writeFile(files.added, lines([authority, ofNode]), { mode: 0o600 });
  await writeFile(files.complete, lines([...new Set([authority, ofNode, ...ofOthers, ...known])]), { mode: 0o600 });
  return files;
}

/** The variables of the command: the shell's without keys of a hub, placeholders, the proxy and its certificates. */
export function commandEnvironment(
  shell: Environment,
  { git, id, proxyUrl, variables }: OpenedCommandRun,
  files: RunFiles,
): Record<string, string> {
  const env: Environment = { ...shell };
  removeSecretVariables(env);
  for (const name of Object.keys(env)) if (isKeyVariable(name)) delete env[name];
  for (const name of REMOVED_VARIABLES) delete env[name];
  for (const name of PROXY_VARIABLES) env[name] = proxyUrl;
  // A provider may be on this computer, too; only the proxy itself is reached without it.
  for (const name of ['NO_PROXY', 'no_proxy']) env[name] = new URL(proxyUrl).host;
  for (const name of COMPLETE_VARIABLES) env[name] = files.complete;
  env['NODE_EXTRA_CA_CERTS'] = files.added;
  // Node uses a proxy of the environment only when it is told to.
  env['NODE_USE_ENV_PROXY'] = '1';
  // Within quotes a backslash stands for the next character (Node, NODE_OPTIONS).
  const file = files.nodeProxy.replaceAll(/[\\"]/g, (one) => `\\${one}`);
  env['NODE_OPTIONS'] = `${env['NODE_OPTIONS'] ?? ''} --require "${file}"`.trim();
  env['HOMEPORT_RUN'] = id;
  Object.assign(env, variables, gitVariables(env, [['http.proxy', proxyUrl], ...git]));
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Behind those that the person set (`git help config`, GIT_CONFIG_COUNT). */
function gitVariables(env: Environment, settings: ReadonlyArray<readonly [string, string]>): Record<string, string> {
  const first = Number.parseInt(env['GIT_CONFIG_COUNT'] ?? '0', 10) || 0;
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, name],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(first + settings.length), ...Object.fromEntries(pairs) };
}

async function readAuthorities(name: string, path: string | undefined): Promise<string> {
  if (!path) return '';
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliFailure(
      `The file of ${name} cannot be read: ${error.code ?? error.message}. Unset it, or correct it.`,
    );
  });
}

function lines(certificates: string[]): string {
  return certificates
    .filter((one) => one !== '')
    .map((one) => `${one.trimEnd()}\n`)
    .join('');
}
