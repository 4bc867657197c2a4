import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

it.skipIf(process.platform === 'win32')('tells a process that its parent has ended', async () => {
  const watched = `const { onParentEnd } = await import(${JSON.stringify(new URL('./parent-end.ts', import.meta.url).href)});
    onParentEnd(() => process.exit(0));
    process.stdin.resume();
    console.log('up');`;
  const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; true', process.execPath, watched], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(shell.stdout, 'data');

  shell.kill('SIGTERM');

  // The pipe closes when the last process that holds it has ended.
  await once(shell.stdout, 'close');
  expect(shell.signalCode).toBe('SIGTERM');
});
