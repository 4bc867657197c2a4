import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { copyScripts } from './scripts-copy.ts';

/** Starts the launcher with the given code as its server; resolves once the server printed a line. */
async function launch(
  copy: ReturnType<typeof copyScripts>,
  server: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ child: ChildProcess; line: string }> {
  copy.write('dist/server/main.mjs', server);
  const code = `const { launchServer } = await import(${JSON.stringify(copy.url('launch-server.mjs'))});
    launchServer({ runtime: process.execPath, args: ['open'] });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = await once(child.stdout, 'data');
  return { child, line: String(chunk).trim() };
}

const STOPPABLE = "setInterval(() => {}, 1e6); process.on('SIGTERM', () => process.exit(0)); console.log('up');";

describe('the launcher of the server', () => {
  it('ends with the exit status of the server', async () => {
    using copy = copyScripts();

    const { child } = await launch(copy, "console.log('up'); process.exitCode = 78;");

    expect((await once(child, 'exit'))[0]).toBe(78);
  });

  it.skipIf(process.platform === 'win32')('ends as shells say it when a signal ended the server', async () => {
    using copy = copyScripts();
    const { child } = await launch(copy, "setInterval(() => {}, 1e6); console.log('up');");

    child.kill('SIGINT');

    expect((await once(child, 'exit'))[0]).toBe(130);
  });

  it('starts a server again that asks for it, and passes signals on to the new one', async () => {
    using copy = copyScripts();
    const server = `import { existsSync, writeFileSync } from 'node:fs';
      const mark = new URL('started-once', import.meta.url);
      if (existsSync(mark)) { ${STOPPABLE} } else { writeFileSync(mark, ''); process.exitCode = 75; }`;
    const { child, line } = await launch(copy, server);

    child.kill('SIGTERM');

    expect([line, (await once(child, 'exit'))[0]]).toEqual(['up', 0]);
  });

  it('passes SIGTERM on and waits for a clean end', async () => {
    using copy = copyScripts();
    const { child } = await launch(copy, STOPPABLE);

    child.kill('SIGTERM');

    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  it('hands over arguments, and an environment that suits the bundled Node', async () => {
    using copy = copyScripts();
    const server = `const { NODE_OPTIONS, UV_THREADPOOL_SIZE, NODE_COMPILE_CACHE } = process.env;
      console.log(JSON.stringify([process.argv[2], NODE_OPTIONS ?? null, UV_THREADPOOL_SIZE, NODE_COMPILE_CACHE !== undefined]));`;

    const { child, line } = await launch(copy, server, { NODE_OPTIONS: '--no-warnings', UV_THREADPOOL_SIZE: '3' });
    await once(child, 'exit');

    expect(JSON.parse(line)).toEqual(['open', null, '3', true]);
  });

  it.skipIf(process.platform === 'win32')(
    'stops the server when npm was ended, whose shell passes no signal on',
    async () => {
      using copy = copyScripts();
      copy.write('dist/server/main.mjs', STOPPABLE);
      const code = `const { launchServer } = await import(${JSON.stringify(copy.url('launch-server.mjs'))});
      launchServer({ runtime: process.execPath });`;
      const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; true', process.execPath, code], {
        env: { ...process.env, npm_lifecycle_event: 'serve' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(shell.stdout, 'data');

      shell.kill('SIGTERM');

      // The pipe closes when the last process that holds it has ended: launcher and server.
      await once(shell.stdout, 'close');
      expect(shell.signalCode).toBe('SIGTERM');
    },
  );

  it.skipIf(process.platform === 'win32')('becomes the server where Node can do that, and ends with npm', async () => {
    using copy = copyScripts();
    copy.write('dist/server/main.mjs', 'console.log(process.pid, process.argv[2]); process.stdin.resume();');
    const code = `const { becomeServer } = await import(${JSON.stringify(copy.url('launch-server.mjs'))});
      becomeServer({ runtime: process.execPath });`;
    const { npm_lifecycle_event: _none, ...env } = process.env;
    const lineOf = async (further: NodeJS.ProcessEnv) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
        env: { ...env, ...further },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const [chunk] = await once(child.stdout, 'data');
      child.stdin.end();
      await once(child, 'exit');
      return [child.pid, String(chunk).trim()];
    };

    const [pid, line] = await lineOf({});
    const [pidOfNpm, lineOfNpm] = await lineOf({ npm_lifecycle_event: 'serve' });

    expect(line).toBe(`${pid} undefined`);
    expect(lineOfNpm).toBe(`${pidOfNpm} --ends-with-parent`);
  });
});
