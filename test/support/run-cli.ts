import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The path of programs, and Node's cache of compiled sources. */
const SHARED_ENV = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
/** The built command line; a test run rebuilds it first when a source has changed. */
export const CLI_ENTRY = fileURLToPath(new URL('../../dist/server/cli-main.mjs', import.meta.url));

export interface CliRun {
  status: number | null;
  output: string;
  errors: string;
  /** The output as JSON. */
  // Results of any shape: each test asserts the members it needs.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  json(): any;
}

export interface CliOptions {
  cwd: string;
  /** Data folder; a running server on it is found. */
  home: string;
  env?: Record<string, string>;
  /** Called with the output so far at each piece of it; the process gets SIGINT when it returns `stop`. */
  onOutput?: (output: string) => 'stop' | undefined;
}

/** The command line as a user runs it: a process of its own, without a terminal. */
export function runCli(args: string[], options: CliOptions): Promise<CliRun> {
  return run(process.execPath, [CLI_ENTRY, ...args], options);
}

/** The same on a terminal of its own (Linux): its stdout and stderr are one text. */
export function runCliInTerminal(args: string[], options: CliOptions & { columns: number }): Promise<CliRun> {
  const words = [process.execPath, CLI_ENTRY, ...args].map((word) => `'${word}'`).join(' ');
  return run('script', ['-qec', `stty cols ${options.columns}; exec ${words}`, '/dev/null'], options);
}

function run(command: string, args: string[], { cwd, home, env = {}, onOutput }: CliOptions): Promise<CliRun> {
  const child = spawn(command, args, {
    cwd,
    env: { ...SHARED_ENV, HOME: home, HOMEPORT_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  let isStopping = false;
  // Once: a second Ctrl-C would end the process at once.
  const look = (): void => {
    if (isStopping || onOutput?.(output + errors) !== 'stop') return;
    isStopping = true;
    child.kill('SIGINT');
  };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
    look();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) =>
      resolve({
        status,
        output,
        errors,
        json: () => {
          try {
            return JSON.parse(output);
          } catch {
            throw new Error(`not JSON (status ${status}):\n${output}\n${errors}`);
          }
        },
      }),
    );
  });
}
