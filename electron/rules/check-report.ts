/** `ok` is null for a part that this computer does not have, which is no failure of the app. */
export interface CheckResult {
  name: string;
  ok: boolean | null;
  ms: number;
  detail?: string;
}

/** This computer has no such part, so it cannot be checked. */
export class AbsentPart extends Error {
  override readonly name = 'AbsentPart';
}

/**
 * Runs one check, never longer than its limit. Throwing `AbsentPart` means that there is nothing to check; any other error is a
 * failure. The text that it resolves to becomes the detail.
 */
export async function runCheck(
  name: string,
  limitMs: number,
  check: () => Promise<string | undefined>,
): Promise<CheckResult> {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing happened within ${limitMs / 1000} s`)), limitMs);
  });
  const result = (ok: boolean | null, detail: string | undefined): CheckResult => ({
    name,
    ok,
    ms: Math.round(performance.now() - startedAt),
    ...(detail === undefined ? {} : { detail }),
  });
  try {
    return result(true, await Promise.race([check(), late]));
  } catch (error) {
    const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return result(error instanceof AbsentPart ? null : false, detail);
  } finally {
    clearTimeout(timer);
  }
}

/** The line that a self-check prints: facts of the computer, the whole result, and each part. */
export function reportLine(about: Record<string, string>, checks: readonly CheckResult[]): string {
  return JSON.stringify({ ok: checks.every(({ ok }) => ok !== false), ...about, checks });
}
