import type { AgentProgram } from '../../agents/programs/agent-programs.ts';
import { changedText, readProgramFile, snippet, writeProgramFile } from '../../agents/programs/program-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import type { HubClient } from '../hub/hub-client.ts';
import {
  type AddOptions,
  type AgentOptions,
  agentProgramOf,
  asConfigFailure,
  placesOf,
  showChange,
} from './agent-acts.ts';

/** The second entry of a program, with which it builds functions (agents.md 13). */
const BUILD_NAME = 'homeport-build';
const KEYS = '/environment/api-keys';
/** The key opens `/mcp/manage` and nothing else. */
const SCOPES = ['environment:manage_mcp'];

const keyNameOf = ({ name }: AgentProgram): string => `Building with ${name}`;

/** Sets a program up to build functions: a key of its own, which nothing else accepts. It is switched on elsewhere. */
export async function addBuilding(context: CliContext, name: string, options: AddOptions): Promise<void> {
  const { clock, env, hubs, terminal } = context;
  const program = agentProgramOf(name);
  if (!program.access.includes('session'))
    throw new CliFailure(`${program.name} takes no address with a key in its file, so it cannot build.`, EXIT.usage);
  if (options.access !== undefined || options.connection.length > 0)
    throw new CliFailure('With --manage there is one way, and no connection to choose.', EXIT.usage);
  const file = await asConfigFailure(() => readProgramFile(program, placesOf(env), BUILD_NAME));
  const hub = await hubs.open(options.environment);
  const url = `${hub.baseUrl}/mcp/manage`;
  const planned = { url, token: '<new key>' };
  if (options.print) {
    terminal.printJson({ program: program.id, file: file.file, name: BUILD_NAME });
    terminal.printValue(snippet(file, planned).trimEnd());
    terminal.note(`Put this into ${file.file}, with a key that has the scope ${SCOPES.join()}.`);
    return;
  }
  showChange(context, file, await asConfigFailure(() => changedText(file, planned)));
  await confirm(context, `Make a key for it and write this to ${file.file}?`);
  await revokeKey(hub, program);
  const { data } = await hub.call<{ data: { secret: string } }>('POST', KEYS, {
    body: { display_name: keyNameOf(program), scopes: SCOPES },
  });
  const changed = await asConfigFailure(() => changedText(file, { url, token: data.secret }));
  const backup = await asConfigFailure(() => writeProgramFile(file, changed, new Date(clock.now()))).catch(
    async (error) => {
      // A key that stands in no file is of no use.
      await revokeKey(hub, program);
      throw error;
    },
  );
  terminal.printJson({ program: program.id, file: file.file, backup: backup ?? null, name: BUILD_NAME });
  terminal.print(`${terminal.colors.green('✓')} ${program.name} can build functions, by ${BUILD_NAME} in ${file.file}`);
  if (backup !== undefined) terminal.note(`The file as it was: ${backup}`);
  const settings = await hub.call<{ data: { agents_may_build: boolean } }>('GET', '/environment/settings');
  if (!settings.data.agents_may_build)
    terminal.note('Building is switched off. Switch it on with: homeport settings set agents_may_build true');
}

/** Removes the second entry, and revokes its key. */
export async function removeBuilding(context: CliContext, name: string, { environment }: AgentOptions): Promise<void> {
  const { clock, env, hubs, terminal } = context;
  const program = agentProgramOf(name);
  const file = await asConfigFailure(() => readProgramFile(program, placesOf(env), BUILD_NAME));
  if (file.entry === undefined)
    throw new CliFailure(`${program.name} has no entry "${BUILD_NAME}" in ${file.file}. Nothing was changed.`);
  const changed = await asConfigFailure(() => changedText(file, undefined));
  const hub = await hubs.open(environment);
  // The change would show the key.
  await confirm(context, `Remove ${BUILD_NAME} from ${file.file}, and revoke its key?`);
  const backup = await asConfigFailure(() => writeProgramFile(file, changed, new Date(clock.now())));
  await revokeKey(hub, program);
  terminal.printJson({ program: program.id, file: file.file, backup: backup ?? null, name: BUILD_NAME });
  terminal.print(`${terminal.colors.green('✓')} ${program.name} cannot build functions any more`);
  if (backup !== undefined) terminal.note(`The file as it was: ${backup}`);
}

/** The key that an earlier entry of the program had, if there is one. */
async function revokeKey(hub: HubClient, program: AgentProgram): Promise<void> {
  const { data } = await hub.call<{ data: Array<{ id: number; display_name: string }> }>('GET', KEYS);
  const old = data.find(({ display_name }) => display_name === keyNameOf(program));
  if (old) await hub.call('DELETE', KEYS, { body: { key_id: old.id } });
}
