import { spawn } from 'node:child_process';

/** A command that failed; `output` is everything that it printed. */
export class CommandError extends Error {
  name = 'CommandError';
  constructor(command, outcome, output) {
    super(`${command} ${outcome}`);
    this.output = output;
  }
}

/** Runs a command and resolves to its output. The command is killed after `timeoutMs`. */
export function runCommand(command, args, { cwd, env, timeoutMs, shell = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: env ?? process.env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let timedOut = false;
    const timer =
      timeoutMs &&
      setTimeout(() => {
        timedOut = true;
        child.kill('SIGKILL');
      }, timeoutMs);
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new CommandError(command, error.message, output));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) return resolve(output);
      const outcome = timedOut ? `took longer than ${timeoutMs / 1000} s` : `ended with ${signal ?? code}`;
      reject(new CommandError(command, outcome, output));
    });
  });
}

export const lastLines = (text, count) => text.trimEnd().split('\n').slice(-count).join('\n');
