// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVER_ENTRY, serverEnvironment } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

/** The user that runs the tests: root may read and write everything. */
const NOBODY = 65_534;

let folder: TempHome;
let home: string;
beforeEach(async () => {
  folder = await createTempHome();
  home = join(folder.path, 'home');
});
afterEach(() => folder.remove());

/** A start that is expected to fail. */
async function start(env: Record<string, string>, uid?: number): Promise<{ status: number; text: string }> {
  const child = spawn(process.execPath, [SERVER_ENTRY], {
    env: { ...serverEnvironment(home, env), PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid }),
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const [status] = (await once(child, 'close')) as [number];
  return { status, text: text.trim() };
}

describe('a start that cannot go on', () => {
  it.each([
    [{ HOMEPORT_TYPE_CHECK: 'perhaps' }, 'HOMEPORT_TYPE_CHECK is "perhaps"; it must be one of 0, 1.'],
    [{ HOMEPORT_TRUST_WORKSPACE: 'yes' }, 'HOMEPORT_TRUST_WORKSPACE is "yes"; it must be one of 0, 1.'],
    [{ HOMEPORT_LOG_FORMAT: 'xml' }, 'HOMEPORT_LOG_FORMAT is "xml"; it must be one of text, json.'],
    [{ HOMEPORT_PROT: '1' }, 'There is no variable HOMEPORT_PROT. Did you mean HOMEPORT_PORT?'],
    [{ HOMEPORT_HOEM: '/tmp' }, 'There is no variable HOMEPORT_HOEM. Did you mean HOMEPORT_HOME?'],
    [{ HOMEPROT_PORT: '1' }, 'There is no variable HOMEPROT_PORT. Did you mean HOMEPORT_PORT?'],
    [{ homeport_port: '1' }, 'There is no variable homeport_port. Did you mean HOMEPORT_PORT?'],
    [{ NANGO_HOSTPROT: 'http://a' }, 'There is no variable NANGO_HOSTPROT. Did you mean NANGO_HOSTPORT?'],
    [{ HOMEPORT_FUNCTONS: '/tmp' }, 'There is no variable HOMEPORT_FUNCTONS. Did you mean HOMEPORT_FUNCTIONS?'],
    [
      { HOMEPORT_FUNCTIONS: '/no-such-folder/functions' },
      'HOMEPORT_FUNCTIONS is /no-such-folder/functions, but there is no folder /no-such-folder. Correct it, or make that folder.',
    ],
    [
      { HOMEPORT_FUNCTIONS: SERVER_ENTRY },
      `HOMEPORT_FUNCTIONS is ${SERVER_ENTRY}, which is a file. It must be a folder.`,
    ],
  ])('names a variable that is wrong: %j', async (env, message) => {
    expect(await start(env)).toEqual({ status: 1, text: message });
  });

  // Node's `mkdir` with parents never ends there.
  it.skipIf(process.platform !== 'linux')('names a functions folder that the system does not make', async () => {
    expect(await start({ HOMEPORT_FUNCTIONS: '/proc/homeport' })).toEqual({
      status: 1,
      text: 'The functions folder /proc/homeport cannot be made (ENOENT). Correct its path, or make it.',
    });
  });

  it('names a data folder that is a file', async () => {
    await writeFile(home, '');

    expect(await start({})).toEqual({
      status: 1,
      text: `The data folder ${home} cannot be used: a file has this name. Move the file away, or set HOMEPORT_HOME to another folder.`,
    });
  });

  it('names a data folder and a file in it that belong to another user', async () => {
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    await chmod(folder.path, 0o755);
    await mkdir(home, { mode: 0o700 });
    if (uid === undefined) await chmod(home, 0o500);
    const about = (what: string): string =>
      `${what} cannot be used: this user may not read and write it. Give it to this user (chown), or set HOMEPORT_HOME to another folder.`;
    expect(await start({}, uid)).toEqual({ status: 1, text: about(`The data folder ${home}`) });

    await chmod(home, 0o777);
    await writeFile(join(home, 'homeport.db'), '', { mode: 0o400 });
    const file = join(home, 'homeport.db');
    expect(await start({}, uid)).toEqual({ status: 1, text: about(`The file ${file} of the data folder`) });
  });

  it('names a port that is taken, and leaves no files', { tags: ['main-path'] }, async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };

    const { status, text } = await start({ HOMEPORT_PORT: String(port) });
    other.close();

    expect(status).toBe(1);
    expect(text).toBe(
      `Port ${port} of 127.0.0.1 is used by another program. Stop it, or set HOMEPORT_PORT to another port (0 takes a free one).`,
    );
    expect(existsSync(home)).toBe(false);
  });
});
