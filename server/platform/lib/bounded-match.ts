import { runInThisContext } from 'node:vm';
import { hasErrorCode } from './error-code.ts';

const TIME_LIMIT_MS = 50;
/** Each repetition or alternative may double the time to compile the pattern, which cannot be interrupted. */
const MAX_CHOICES = 20;
/** A simple pattern is always fast on texts shorter than this. */
const SHORT_TEXT = 1_000;

/** Whether a text is a regular expression with at most 20 repetitions and alternatives. */
export function isUsablePattern(source: string): boolean {
  if ((source.match(/[*+?{|]/g) ?? []).length > MAX_CHOICES) return false;
  try {
    new RegExp(source);
    return true;
  } catch {
    return false; // A SyntaxError means that the pattern is not usable.
  }
}

/**
 * The first match of a usable pattern and its groups, whole match first. Undefined when there is no match, and when the
 * search takes about 50 ms of processor time: patterns come from the workspace, and some never end on certain texts.
 */
export function matchBounded(pattern: string, text: string): readonly (string | undefined)[] | undefined {
  if (isSimple(pattern) && text.length <= SHORT_TEXT) return new RegExp(pattern).exec(text) ?? undefined;
  // The time limit of a script covers only code that the script itself runs.
  const code = `new RegExp(${JSON.stringify(pattern)}).exec(${JSON.stringify(text)})`;
  const startedAt = usedMs();
  for (;;) {
    try {
      return (runInThisContext(code, { timeout: TIME_LIMIT_MS }) as RegExpExecArray | null) ?? undefined;
    } catch (error) {
      if (!hasErrorCode(error, 'ERR_SCRIPT_EXECUTION_TIMEOUT')) throw error;
      // On a busy machine other programs may have used the time; only processor time of this thread counts.
      if (usedMs() - startedAt >= TIME_LIMIT_MS / 2) return undefined;
    }
  }
}

/** Processor time of this thread, in milliseconds. */
function usedMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1_000;
}

/** At most one repetition, and not of a group: then there is only one way to try each start. */
function isSimple(pattern: string): boolean {
  return (pattern.match(/[*+?{]/g) ?? []).length <= 1 && !/\)[*+?{]/.test(pattern);
}
