import type { AnswerSync, CallSync } from './guest-link.ts';
import { ObjectAssign, ObjectCreate, PrimordialError } from './primordials.ts';

const ERRORS: Record<string, ErrorConstructor | undefined> = ObjectAssign(ObjectCreate(null), {
  TypeError,
  RangeError,
});

/** Calls a sync method of the worker and throws its failure as an error of this isolate. */
export function createCallSync(answerSync: AnswerSync): CallSync {
  return (method, ...args) => {
    const answer = answerSync(method, ...args);
    if (answer.ok) return answer.value as never;
    const ErrorClass = ERRORS[answer.name] ?? PrimordialError;
    throw new ErrorClass(answer.message);
  };
}
