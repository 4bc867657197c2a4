import { isSuccess } from './step-answer.ts';
import type { StepAnswer, VerificationStep } from './step-context.ts';

type Verdict = Awaited<ReturnType<VerificationStep>>;

/** Accepts a 2xx answer that passes the test of its content, where a status alone cannot tell. */
export function toVerdict(answer: StepAnswer, isAccepted: (answer: StepAnswer) => boolean = () => true): Verdict {
  if (!isSuccess(answer)) {
    return { ok: false, message: `The provider refused the credentials (status ${answer.status}). ${CHECK}` };
  }
  return isAccepted(answer) ? { ok: true } : { ok: false, message: `The provider refused the credentials. ${CHECK}` };
}

const CHECK = 'Check them and try again.';
