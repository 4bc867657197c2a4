import { describeError, type Problem } from '../lib/api-error.ts';

/** The failure of each call in their order, null for success. A failure does not stop the calls after it. */
export async function oneByOne<Target>(
  targets: readonly Target[],
  call: (target: Target) => Promise<unknown>,
): Promise<Array<Problem | null>> {
  const problems: Array<Problem | null> = [];
  for (const target of targets)
    problems.push(
      await call(target).then(
        () => null,
        (error: Error) => describeError(error),
      ),
    );
  return problems;
}
