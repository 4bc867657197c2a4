import { runInThisContext } from 'node:vm';

const TIME_LIMIT_MS = 50;
/** Each may double the work of compiling the pattern, which nothing can interrupt. */
const MAX_CHOICES = 20;
/** A search of this many steps is over at once, however busy the machine is. */
const FEW_STEPS = 1_000_000;

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
 * takes longer than 50 ms: patterns come from the workspace, and some of them never end on an unfortunate text.
 */
export function matchBounded(pattern: string, text: string): readonly (string | undefined)[] | undefined {
  if (mostSteps(pattern, text) <= FEW_STEPS) return new RegExp(pattern).exec(text) ?? undefined;
  // Only code that the script itself runs falls under its time limit.
  const code = `new RegExp(${JSON.stringify(pattern)}).exec(${JSON.stringify(text)})`;
  try {
    return (
      (runInThisContext(code, {
        timeout: TIME_LIMIT_MS,
      }) as RegExpExecArray | null) ?? undefined
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}

/** Each start and each repetition may try every length, each alternative doubles that; a repeated group has no such bound. */
function mostSteps(pattern: string, text: string): number {
  if (/\)[*+?{]/.test(pattern)) return Number.POSITIVE_INFINITY;
  const ofAnyLength = pattern.replaceAll(/\{\d+\}/g, '').match(/[*+?{]/g) ?? [];
  const alternatives = pattern.match(/\|/g) ?? [];
  return (text.length + 1) ** (ofAnyLength.length + 1) * 2 ** alternatives.length;
}
