import { spawn } from 'node:child_process';
import { copyFile, mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command lines of the reference service, by the name of their package in `stock-cli/package.json`. */
export const STOCK_CLIS = ['nango-cli-070', 'nango-cli'] as const;
export type StockCli = (typeof STOCK_CLIS)[number];

const MANIFESTS = fileURLToPath(new URL('../contract/official-clients/stock-cli', import.meta.url));
const INSTALLED = fileURLToPath(new URL('../../.homeport/stock-cli', import.meta.url));
const VITEST = fileURLToPath(new URL('../../node_modules', import.meta.url));

export interface StockRun {
  status: number | null;
  /** Output and errors, as shown in a terminal. */
  output: string;
}

export interface StockRunOptions {
  cwd: string;
  env?: Record<string, string>;
  /** The input, by the program's output right before it. */
  answers?: Array<[after: string, text: string]>;
}

/**
 * Installs both command lines beside the checkout when they are missing. They weigh 200 MB, so they are not packages of
 * the hub, which everyone who starts it would download.
 */
export async function installStockClis(): Promise<void> {
  const wanted = await readFile(join(MANIFESTS, 'package-lock.json'), 'utf8');
  // npm copies the manifests before it installs; this copy is made after it succeeded.
  const stamp = join(INSTALLED, 'installed-lock.json');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  await mkdir(INSTALLED, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    await copyFile(join(MANIFESTS, name), join(INSTALLED, name));
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // `npm ci` refuses a lockfile from a mirror that lacks packages of other platforms.
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { output, status } = await run(npm, args, {
    cwd: INSTALLED,
    env: { ...process.env } as Record<string, string>,
  });
  if (status !== 0) throw new Error(`npm could not install the stock command lines:\n${output}`);
  await copyFile(join(INSTALLED, 'package-lock.json'), stamp);
}

/** Makes `nango`, `zod` and `vitest` packages of a project, as `npm install` would. */
export async function linkStockPackages(cli: StockCli, project: string): Promise<void> {
  const modules = join(project, 'node_modules');
  await mkdir(modules, { recursive: true });
  await symlink(join(INSTALLED, 'node_modules', cli), join(modules, 'nango'), 'junction');
  await symlink(join(INSTALLED, 'node_modules/zod'), join(modules, 'zod'), 'junction');
  await symlink(join(VITEST, 'vitest'), join(modules, 'vitest'), 'junction');
}

const SMALL_TYPES = `type Definition = { exec: (nango: any, input: any) => any; [member: string]: any };
export declare function createSync(definition: Definition): any;
export declare function createAction(definition: Definition): any;
export declare function createOnEvent(definition: Definition): any;
`;

/**
 * The same package with a few lines of types: before almost every command, a command line parses and checks 3 MB of types
 * of its own package, which is half of its processor time. The command line that runs stays the original.
 */
export async function linkSmallTypes(project: string): Promise<void> {
  const link = join(project, 'node_modules/nango');
  const target = await realpath(link);
  await rm(link);
  await mkdir(link);
  const manifest = JSON.parse(await readFile(join(target, 'package.json'), 'utf8'));
  manifest.exports['.'].types = './small.d.ts';
  await writeFile(join(link, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(link, 'small.d.ts'), SMALL_TYPES);
  await symlink(join(target, 'dist'), join(link, 'dist'), 'junction');
}

/** Runs `nango <args>` as a process of its own. */
export function runStockCli(cli: StockCli, args: string[], options: StockRunOptions): Promise<StockRun> {
  const entry = join(INSTALLED, 'node_modules', cli, 'dist/index.js');
  return run(process.execPath, [entry, ...args], {
    ...options,
    env: { ...quietEnvironment(options.cwd), ...options.env },
  });
}

/** Runs the tests that a command line generated, with the project's own Vitest. */
export function runProjectTests(project: string): Promise<StockRun> {
  const entry = join(VITEST, 'vitest/vitest.mjs');
  return run(process.execPath, [entry, 'run', '--root', project], { cwd: project, env: quietEnvironment(project) });
}

/** Turns off downloads, telemetry and questions that no test is about. */
function quietEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    NO_COLOR: '1',
    NANGO_CLI_UPGRADE_MODE: 'ignore',
    NANGO_CLI_DEPENDENCY_UPDATE: 'false',
    NANGO_TELEMETRY: 'false',
  };
}

function run(file: string, args: string[], { cwd, env = {}, answers = [] }: StockRunOptions): Promise<StockRun> {
  const child = spawn(file, args, { cwd, env, stdio: 'pipe', shell: file.endsWith('.cmd') });
  const waiting = [...answers];
  let output = '';
  let read = 0;
  const collect = (chunk: string): void => {
    output += chunk;
    const [after, text] = waiting[0] ?? [];
    if (after === undefined || !output.includes(after, read)) return;
    read = output.length;
    waiting.shift();
    child.stdin.write(`${text}\n`);
    // A program that reads from a pipe continues until the pipe ends.
    if (waiting.length === 0) child.stdin.end();
  };
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  if (answers.length === 0) child.stdin.end();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output }));
  });
}
