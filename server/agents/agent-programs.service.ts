import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import {
  AGENT_PROGRAMS,
  type AgentProgram,
  commandReach,
  isSessionOf,
  type Places,
  type Reach,
} from './programs/agent-programs.ts';
import { changedLines } from './programs/changed-lines.ts';
import type { ProgramFile } from './programs/program-file.ts';

type SessionName = Parameters<typeof isSessionOf>[2];

export type AgentProgramsService = ReturnType<typeof createAgentPrograms>;

/** Loaded at the first use: the editors of JSON, TOML and YAML are large. */
const files = () => import('./programs/program-file.ts');

const isProblem = (error: unknown): error is Error => error instanceof Error && error.name === 'ConfigProblem';

/** Life of the sessions of a program that starts the command line. */
const COMMAND_LIFE = '30d';

/** Entries for the hub in the configuration of agent programs, for the windows of this computer (agents.md 6). */
export function createAgentPrograms(use: {
  clock: Clock;
  places: Places;
  /** Origin of the hub on this computer. */
  base: () => string;
  launcher: string;
  /** The data folder, where it is not the usual one. */
  home: string | undefined;
}) {
  const { base, clock, home, launcher, places } = use;

  const reachFor = ({ access }: AgentProgram, environment: string): Reach =>
    access[0] === 'command'
      ? commandReach({ launcher, environment, expiresIn: COMMAND_LIFE, queryRecords: false, connections: [], home })
      : { url: `${base()}/agents/mcp` };

  const change = async (id: string, reach: (program: AgentProgram) => Reach | undefined) => {
    const program = programOf(id);
    const { changedText, readProgramFile } = await files();
    const file = await inWords(() => readProgramFile(program, places));
    const text = await inWords(() => changedText(file, reach(program)));
    return { file, text };
  };

  const write = async ({ file, text }: { file: ProgramFile; text: string }) => {
    const { writeProgramFile } = await files();
    const backup = await inWords(() => writeProgramFile(file, text, new Date(clock.now())));
    return { file: file.file, backup: backup ?? null };
  };

  return {
    /** Every program that is known, with what its file says now. */
    async list(environment: string) {
      const { reachOf, readProgramFileSafely, snippet } = await files();
      return Promise.all(
        AGENT_PROGRAMS.map(async (program) => {
          const { id, installLink, name, next } = program;
          const reach = reachFor(program, environment);
          const link = 'url' in reach ? (installLink?.(reach.url) ?? null) : null;
          const known = { id, name, link, next };
          /** Which sessions are the program's. */
          const owner = (heldId?: string) => (one: SessionName) => isSessionOf(program, heldId, one);
          const file = await readProgramFileSafely(program, places);
          if ('problem' in file) {
            const { file: path, problem } = file;
            return { ...known, isOwn: owner(), file: path, isSetUp: false, access: null, problem, snippet: '' };
          }
          const { access = null, sessionId } = reachOf(file.entry) ?? {};
          return {
            ...known,
            isOwn: owner(sessionId),
            file: file.file,
            isSetUp: file.entry !== undefined,
            access,
            problem: null,
            snippet: snippet(file, reach),
          };
        }),
      );
    },

    /** What `add` would change, in lines. */
    async preview(id: string, environment: string) {
      const { file, text } = await change(id, (program) => reachFor(program, environment));
      return { file: file.file, isNew: file.text === undefined, ...changedLines(file.text ?? '', text) };
    },

    async add(id: string, environment: string) {
      return write(await change(id, (program) => reachFor(program, environment)));
    },

    /** Also says which session the entry had the token of. */
    async remove(id: string) {
      const changed = await change(id, () => undefined);
      if (changed.file.entry === undefined)
        throw new HomeportError('not_found', `${changed.file.program.name} has no entry for Homeport.`);
      const { reachOf } = await files();
      return { ...(await write(changed)), sessionId: reachOf(changed.file.entry)?.sessionId };
    },
  };
}

function programOf(id: string): AgentProgram {
  const found = AGENT_PROGRAMS.find((one) => one.id === id);
  if (found) return found;
  throw new HomeportError('not_found', `There is no program "${id}".`);
}

async function inWords<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isProblem(error) ? new HomeportError('invalid_body', error.message) : error;
  }
}
