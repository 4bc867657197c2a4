import { runInThisContext } from 'node:vm';

const TIME_LIMIT_MS = 50;
/** Each may double the work of compiling the pattern, which nothing can interrupt. */
const MAX_CHOICES = 20;
/** Shorter texts cannot keep a simple pattern busy. */
const SHORT_TEXT = 1_000;

/** Whether a text is a regular expression with at most 20 repetitions and alternatives. */
export function isUsablePattern(source: string): boolean {
  if ((source.match(/[*+?{|]/g) ?? []).length > MAX_CHOICES) return false;
  try {
    new RegExp(source);
    return true;
  } catch {
    return false; // A SyntaxError is the answer.
  }
}

/**
 * What the first match of a usable pattern holds, whole match first. Undefined when nothing matches, and when the search
 * takes longer than 50 ms of computing: patterns come from the workspace, and some of them never end on an unfortunate text.
 */
export function matchBounded(pattern: string, text: string): readonly (string | undefined)[] | undefined {
  if (isSimple(pattern) && text.length <= SHORT_TEXT) return new RegExp(pattern).exec(text) ?? undefined;
  // Only code that the script itself runs falls under its time limit.
  const code = `new RegExp(${JSON.stringify(pattern)}).exec(${JSON.stringify(text)})`;
  const startedAt = usedMs();
  for (;;) {
    try {
      return (runInThisContext(code, { timeout: TIME_LIMIT_MS }) as RegExpExecArray | null) ?? undefined;
    } catch (error) {
      const isTimeout = error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      if (!isTimeout) throw error;
      // On a busy machine the time may have gone to others: only what this thread computed counts.
      if (usedMs() - startedAt >= TIME_LIMIT_MS / 2) return undefined;
    }
  }
}

/** Time that this thread computed, in milliseconds. */
function usedMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1_000;
}

/** One repetition at most, and not of a group: there is one way to try each start. */
function isSimple(pattern: string): boolean {
  return (pattern.match(/[*+?{]/g) ?? []).length <= 1 && !/\)[*+?{]/.test(pattern);
}
