import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { POST_CONNECTION_STEPS } from '../../server/lifecycle/provider-steps/post-connection-steps.ts';
import type { PostConnectionStep } from '../../server/lifecycle/provider-steps/step-context.ts';
import { type Exchange, type Setting, StepFixture } from './step-fixture.ts';

/** The requests and writes of a step after connecting in one situation. */
export interface PostConnectionCase {
  step: string;
  when: string;
  setting?: Setting;
  exchanges?: Exchange[];
  patch: Record<string, unknown> | undefined;
}

export interface PostConnectionFailure extends Omit<PostConnectionCase, 'patch'> {
  message: RegExp;
}

/** One test per row; secrets in a row are called `secret-1` and `refresh-1`. */
export function describePostConnection(
  title: string,
  rows: { cases: PostConnectionCase[]; failures: PostConnectionFailure[] },
): void {
  describe(title, () => {
    let bench: StepFixture;

    beforeEach(async () => {
      bench = await StepFixture.start();
    });
    afterEach(() => bench.stop());

    it.each(rows.cases)('$step, when $when', async ({ step, setting, exchanges = [], patch }) => {
      bench.script(exchanges);

      expect(await findStep(step)(bench.context(setting))).toStrictEqual(patch);
      expect(bench.asked(exchanges)).toEqual(exchanges.map(({ response, ...expected }) => expected));
    });

    it.each(rows.failures)('$step fails when $when', async ({ step, setting, exchanges = [], message }) => {
      bench.script(exchanges);

      const failure = await findStep(step)(bench.context(setting)).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'provider_step_failed', message: expect.stringMatching(message) });
      expect(String(failure)).not.toMatch(/secret-1|refresh-1/);
      expect(bench.asked(exchanges)).toHaveLength(exchanges.length);
    });
  });
}

function findStep(name: string): PostConnectionStep {
  const step = POST_CONNECTION_STEPS.get(name);
  if (!step) throw new Error(`There is no step ${name}.`);
  return step;
}
