import { toText } from '../primordials.ts';
import type { GuestRun, Members } from './guest-run.ts';

/** The log members of the context (functions.md 3.9). */
export function logMembers(run: GuestRun): Members {
  return {
    async log(...args: unknown[]) {
      const options = hasLevel(args.at(-1)) ? (args.pop() as { level: unknown }) : undefined;
      if (args.length === 0) return;
      run.log.user(toText(options?.level ?? 'info'), args[0], args[1]);
    },
    setLogger(logger: { level?: unknown }) {
      run.log.setLevel(logger?.level);
    },
  };
}

function hasLevel(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'level' in value;
}
