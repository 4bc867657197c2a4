import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { expect, vi } from 'vitest';
import { fileOf, type PageBlock, readBlocks } from '../../../build/scripts/docs/page-blocks.ts';
import { readHttp } from '../../../renderer/lib/http-block.ts';
import { ROOT } from '../../architecture/source-tree.ts';
import { importConnection, officialClient } from '../../support/import-practice-connection.ts';
import { CLI_ENTRY } from '../../support/run-cli.ts';
import { waitUntilLive } from '../../support/server-workspace.ts';
import type { StartedServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';
import { WAIT_LIMIT_MS } from '../../support/wait-limit.ts';
import { expectAnswer } from './expect-answer.ts';

/** How many blocks of each kind were run, shown, and left out. */
export type BlockCounts = Record<string, number>;

const RUNNERS: Record<string, (file: string) => string> = {
  sh: (file) => `source ${file}`,
  js: (file) => `node ${file}`,
  python: (file) => `python3 ${file}`,
};
const FILE_ENDS: Record<string, string> = { sh: 'sh', js: 'mjs', python: 'py' };
const HUB_ADDRESS = 'http://127.0.0.1:3003';
/** Beginning of the name of a file in the functions folder of the hub. */
const FUNCTIONS = '<functions>/';
const BLOCK_LIMIT_MS = 120_000;

/** One reader on one page: a folder, a terminal, and the programs that the page started. */
export class PageReader {
  readonly #server: StartedServer;
  readonly #folder: TempHome;
  readonly #counts: BlockCounts;
  readonly #ports = new Map<string, number>();
  readonly #programs: ChildProcess[] = [];
  /** Files of functions that were saved and may not be live yet. */
  readonly #saved: string[] = [];
  #output = '';

  private constructor(server: StartedServer, folder: TempHome, counts: BlockCounts) {
    this.#server = server;
    this.#folder = folder;
    this.#counts = counts;
  }

  static async open(server: StartedServer, counts: BlockCounts): Promise<PageReader> {
    const folder = await createTempHome();
    await mkdir(join(folder.path, 'page'));
    await mkdir(join(folder.path, 'home'));
    await writeCommands(join(folder.path, 'bin'));
    const reader = new PageReader(server, folder, counts);
    writeFileSync(reader.#stateFile, `cd '${join(folder.path, 'page')}'\n`);
    return reader;
  }

  async close(): Promise<void> {
    for (const program of this.#programs) if (program.pid !== undefined) endGroup(program.pid);
    await this.#folder.remove();
  }

  /** The port that the page's own program got in the place of the one that is written in the page. */
  portOf(written: number): number | undefined {
    return this.#ports.get(String(written));
  }

  async read(markdown: string): Promise<void> {
    for (const port of new Set(markdown.match(/\b400\d\b/g))) this.#ports.set(port, await findFreePort());
    for (const block of readBlocks(markdown)) await this.#take(block);
  }

  async #take(block: PageBlock): Promise<void> {
    const { marks, line, language } = block;
    const text = this.#filled(block.text);
    if (marks.skip !== undefined) return this.#count('skipped, with a reason');
    const missing = (marks.needs ?? []).filter((need) => !(need in PREPARATIONS) && !hasProgram(need));
    if (missing.length > 0) return this.#count(`left out without ${missing.join(', ')}`);
    for (const need of marks.needs ?? []) await PREPARATIONS[need]?.(this.#server, this.#run);
    const file = fileOf(block);
    if (marks.answer) {
      expectAnswer(this.#output, text, line);
      this.#count('answers compared');
    } else if (file !== undefined) {
      await this.#save(file, text);
      this.#count(`${language} files`);
    } else if (language === 'http') {
      await this.#untilLive();
      await this.#send(block, text);
      this.#count('http');
    } else if (RUNNERS[language]) {
      await this.#untilLive();
      await this.#execute(block, text);
      this.#count(language);
    } else {
      this.#count(language === 'ts' ? 'ts' : 'only shown');
    }
  }

  async #execute({ language, line, marks }: PageBlock, text: string): Promise<void> {
    const file = join(this.#folder.path, `block-${line}.${FILE_ENDS[language]}`);
    // Modules are found from where a file lies.
    const place = language === 'sh' ? file : join(this.#cwd, `block-${line}.${FILE_ENDS[language]}`);
    await writeFile(place, text);
    const command = RUNNERS[language]?.(`'${place}'`) ?? '';
    if (marks.until !== undefined) {
      await this.#startProgram(command, marks.until);
      return;
    }
    await untilIt(marks.retry, () => {
      const { status, output } = this.#run(command);
      expect(status, `line ${line}\n${text}\n${output}`).toBe(marks.exit ?? 0);
      for (const part of marks.expects ?? []) expect(output, `line ${line}`).toContain(part);
    });
  }

  async #send({ line, marks }: PageBlock, text: string): Promise<void> {
    const { body, headers, method, path } = readHttp(text);
    await untilIt(marks.retry, async () => {
      const response = await fetch(`${this.#server.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#server.secretKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
      });
      this.#output = await response.text();
      const said = `line ${line}: ${response.status} ${this.#output}`;
      if (marks.status === undefined) expect(response.ok, said).toBe(true);
      else expect(response.status, said).toBe(marks.status);
      for (const part of marks.expects ?? []) expect(this.#output, `line ${line}`).toContain(part);
    });
  }

  /** Runs a command in the reader's terminal, which goes on where the block before it ended. */
  readonly #run = (command: string): { status: number | null; output: string } => {
    const script = `${this.#opening}set -e\n${command}\nset +e\n{ declare -px; printf 'cd %q\\n' "$PWD"; } > '${this.#stateFile}'\n`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd: this.#folder.path,
      env: this.#env,
      encoding: 'utf8',
      timeout: BLOCK_LIMIT_MS,
    });
    this.#output = stdout;
    return { status, output: `${stdout}${stderr}` };
  };

  async #startProgram(command: string, until: string): Promise<void> {
    const program = spawn('bash', ['-c', `${this.#opening}${command}`], {
      cwd: this.#folder.path,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#programs.push(program);
    this.#output = '';
    for (const stream of [program.stdout, program.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        this.#output += chunk;
      });
    await waitFor(() => this.#output.includes(until), { what: `"${until}" of ${command}` });
  }

  async #save(name: string, text: string): Promise<void> {
    const inFunctions = name.startsWith(FUNCTIONS) ? name.slice(FUNCTIONS.length) : undefined;
    const place = inFunctions === undefined ? join(this.#cwd, name) : join(this.#server.workspace, inFunctions);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, text);
    if (inFunctions?.endsWith('.ts')) this.#saved.push(inFunctions);
  }

  /** A person reads on slower than the hub compiles what was saved. A function without its integration waits for that. */
  async #untilLive(): Promise<void> {
    const { secretKey, url } = this.#server;
    const headers = { authorization: `Bearer ${secretKey}` };
    for (const path of [...this.#saved]) {
      if (!(await fetch(`${url}/integrations/${path.split('/')[0]}`, { headers })).ok) continue;
      await waitUntilLive(this.#server, [path]);
      this.#saved.splice(this.#saved.indexOf(path), 1);
    }
  }

  #filled(text: string): string {
    let filled = text
      .replaceAll(HUB_ADDRESS, this.#server.url)
      .replaceAll('paste-the-secret-key-here', this.#server.secretKey);
    for (const [port, free] of this.#ports) filled = filled.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), String(free));
    return filled;
  }

  #count(kind: string): void {
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
  }

  get #stateFile(): string {
    return join(this.#folder.path, 'terminal.sh');
  }

  get #opening(): string {
    return `source '${this.#stateFile}'\n`;
  }

  /** The folder in which the terminal stands. */
  get #cwd(): string {
    return spawnSync('bash', ['-c', `${this.#opening}pwd`], { encoding: 'utf8', env: this.#env }).stdout.trim();
  }

  get #env(): NodeJS.ProcessEnv {
    return {
      PATH: [join(this.#folder.path, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: join(this.#folder.path, 'home'),
      HOMEPORT_HOME: this.#server.home,
      HOMEPORT: this.#server.url,
      HOMEPORT_SECRET_KEY: this.#server.secretKey,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    };
  }
}

/** Does it once, or until it does not fail any more. */
async function untilIt(isRepeated: true | undefined, attempt: () => void | Promise<void>): Promise<void> {
  if (!isRepeated) return attempt();
  await vi.waitFor(attempt, { timeout: WAIT_LIMIT_MS, interval: 200 });
}

type Run = (command: string) => { status: number | null; output: string };

/** What `needs` makes before a block. Each may be asked for again. */
const PREPARATIONS: Record<string, (server: StartedServer, run: Run) => Promise<void>> = {
  connection: prepareConnection,
  sync: async (server) => {
    const nango = await prepareConnection(server).then(() => officialClient(server));
    await waitForSync({ nango, integration: 'practice', connectionId: 'me' }, 'fetch-issues', hasSucceeded);
  },
  project: async (_server, run) => {
    const { output, status } = run('[ -f package.json ] || { homeport init my-integrations; cd my-integrations; }');
    expect(status, output).toBe(0);
  },
};

async function prepareConnection(server: StartedServer): Promise<void> {
  const headers = { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' };
  const has = async (path: string): Promise<boolean> => (await fetch(`${server.url}${path}`, { headers })).ok;
  if (!(await has('/integrations/practice')))
    await officialClient(server).createIntegration({ provider: 'practice', unique_key: 'practice' });
  if (await has('/connections/me?provider_config_key=practice')) return;
  const response = await importConnection(server, { provider_config_key: 'practice', connection_id: 'me' });
  expect(response.status, await response.text()).toBe(201);
}

/** The commands of a reader, without a download: packages are those of the checkout. */
async function writeCommands(bin: string): Promise<void> {
  await mkdir(bin);
  const packages = join(ROOT, 'node_modules');
  const commands = {
    homeport: `if [ "$1" = init ]; then
  '${process.execPath}' '${CLI_ENTRY}' "$@" --copy && ln -s '${packages}' "$2/node_modules"
else exec '${process.execPath}' '${CLI_ENTRY}' "$@"; fi`,
    npx: `[ "$1" = homeport ] || { echo "the test runs only npx homeport" >&2; exit 1; }
shift
exec homeport "$@"`,
    npm: `case "$1 $2" in
install*) [ -e node_modules ] || ln -s '${packages}' node_modules ;;
'run homeport') shift 3; exec homeport "$@" ;;
*) echo "the test runs only npm install and npm run homeport" >&2; exit 1 ;;
esac`,
  };
  for (const [name, script] of Object.entries(commands)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
}

const hasProgram = (name: string): boolean =>
  spawnSync('sh', ['-c', `${name} --version || ${name} version`], { stdio: 'ignore' }).status === 0;

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** For the ports of the page's own programs, which cannot ask the system for a free one. */
function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
