import { spawn } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { runCommandLine } from '../../server/cli/command-line.ts';
import { createLocalSandbox } from '../../server/cli/project/local-engine.ts';
import { systemClock } from '../../server/platform/lib/clock.ts';
import type { Sandbox } from '../../server/platform/sandbox/sandbox.ts';
import { builtResources } from './built-resources.ts';
import { countLasting } from './lasting-processes.ts';

/** The path of programs, and Node's cache of compiled sources. */
const SHARED_ENV = { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
/** The built command line; a test run rebuilds it first when a source has changed. */
export const CLI_ENTRY = fileURLToPath(new URL('../../dist/server/cli-main.mjs', import.meta.url));

/** What commands in the process of a test share: the check of the types of equal projects takes seconds. */
const COMPILED_PROJECTS = fileURLToPath(new URL('../../dist/cache/projects-of-tests', import.meta.url));

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
  /** What is on standard input; nobody is at a keyboard. */
  input?: string | Uint8Array;
}

export interface CliProcessOptions extends CliOptions {
  /** Told of everything so far at each piece of output; the process gets SIGINT when it answers `stop`. */
  onOutput?: (output: string) => 'stop' | undefined;
}

export interface CliTerminalOptions extends CliProcessOptions {
  columns: number;
  /** Typed one after the other, each when the command has asked another question. */
  answers?: string[];
}

/** The commands of a test process share it: its start is most of what a short command costs. It ends with the process. */
let lasting: Promise<Sandbox> | undefined;
let isCounted = false;

/** Runs a command without a keyboard, in the test's own process; returns its output and its exit status. */
export async function runCli(args: string[], { cwd, home, env, input }: CliOptions): Promise<CliRun> {
  const output = new PassThrough().setEncoding('utf8');
  const errors = new PassThrough().setEncoding('utf8');
  const resources = await builtResources();
  lasting ??= createLocalSandbox({ resources, clock: systemClock, workers: 1 });
  const sandbox = await lasting;
  const [written, said, status] = await Promise.all([
    textOf(output),
    textOf(errors),
    runCommandLine(args, {
      cwd: await realpath(cwd),
      environment: environmentOf(home, env),
      resources,
      sandbox,
      cacheFolder: COMPILED_PROJECTS,
      input: Readable.from(input === undefined ? [] : [Buffer.from(input)]),
      output,
      errors,
      signal: new AbortController().signal,
      steps: new Set(),
    }).finally(() => {
      output.end();
      errors.end();
    }),
  ]);
  if (!isCounted && sandbox.stats().workers.length > 0) {
    isCounted = true;
    countLasting(1);
  }
  return toRun(status, written, said);
}

/** The command line as a user runs it: a process of its own, nobody at the keyboard. */
export function runCliProcess(args: string[], options: CliProcessOptions): Promise<CliRun> {
  return run(process.execPath, [CLI_ENTRY, ...args], options);
}

/** The same on a terminal of its own (Linux): what it writes to stdout and stderr is one text. */
export function runCliInTerminal(args: string[], options: CliTerminalOptions): Promise<CliRun> {
  const words = [process.execPath, CLI_ENTRY, ...args].map((word) => `'${word}'`).join(' ');
  return run('script', ['-qec', `stty cols ${options.columns}; exec ${words}`, '/dev/null'], options);
}

function run(
  command: string,
  args: string[],
  { answers, cwd, home, env, onOutput }: CliProcessOptions & Pick<CliTerminalOptions, 'answers'>,
): Promise<CliRun> {
  const child = spawn(command, args, {
    cwd,
    env: environmentOf(home, env),
    stdio: [answers ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const remaining = [...(answers ?? [])];
  let output = '';
  let errors = '';
  let isStopping = false;
  // Once: a second Ctrl-C would end the process at once.
  const look = (): void => {
    // A question ends the output; the echo of its answer, with the line's end, follows.
    if (remaining.length > 0 && /[:?\])>] $/.test(stripVTControlCharacters(output)))
      child.stdin?.write(`${remaining.shift()}\r`);
    if (isStopping || onOutput?.(output + errors) !== 'stop') return;
    isStopping = true;
    child.kill('SIGINT');
  };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    look();
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
    look();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve(toRun(status, output, errors)));
  });
}

function environmentOf(home: string, env: Record<string, string> = {}): Record<string, string> {
  return { ...SHARED_ENV, HOME: home, HOMEPORT_HOME: home, ...env };
}

function toRun(status: number | null, output: string, errors: string): CliRun {
  return {
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
  };
}
