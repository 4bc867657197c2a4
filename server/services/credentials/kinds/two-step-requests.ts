import type { ParamTemplate } from '../../../catalog/proxy-schema.ts';
import type { ErrorCode } from '../../../contract/error-codes.ts';
import type { TokenAnswer, TokenContext, TokenRequest } from '../token-context.ts';
import { encodeParams } from './encode-params.ts';
import { fillHeaders, fillParams, paramScope } from './fill-params.ts';
import { providerRefusal } from './provider-refusal.ts';
import { fillAddress, missingTokenUrl } from './token-address.ts';
import { readXml, TOKEN_HEADERS } from './token-answer.ts';

/** One token request as the entry describes it. */
export interface Step {
  address: string | undefined;
  method: 'GET' | 'POST' | undefined;
  params: Record<string, ParamTemplate> | undefined;
  headers: Record<string, string> | undefined;
}

export interface StepAnswer extends TokenAnswer {
  /** The body as JSON, else as what its XML says. */
  value: unknown;
}

export interface StepAnswers {
  answers: StepAnswer[];
  last: StepAnswer;
}

/** Every further step beyond these answers with the general code. */
const STEP_CODES: Record<number, ErrorCode> = {
  2: 'invalid_two_step_credentials_step_2',
  3: 'invalid_two_step_credentials_step_3',
  4: 'invalid_two_step_credentials_step_4',
  5: 'invalid_two_step_credentials_step_5',
};

/** Sends the steps in order; each sees what the ones before it answered as `stepN`, counted from 1. */
export async function runSteps(
  context: TokenContext,
  first: Step,
  values: Record<string, unknown>,
): Promise<StepAnswers> {
  let last = await send(context, first, values);
  if (last.status !== 200 && last.status !== 201) throw refused(context, 1, last, values);
  const answers = [last];
  const seen: Record<string, unknown> = { ...values, step1: last.value };
  for (const rules of context.entry.additional_steps ?? []) {
    const { token_url: address, token_request_method: method, token_params: params, token_headers: headers } = rules;
    last = await send(context, { address, method, params, headers }, seen);
    answers.push(last);
    if (last.status !== 200) throw refused(context, answers.length, last, seen);
    seen[`step${answers.length}`] = last.value;
  }
  return { answers, last };
}

async function send(context: TokenContext, step: Step, values: Record<string, unknown>): Promise<StepAnswer> {
  const answer = await context.send(stepRequest(context, step, values));
  return { ...answer, value: answer.json ?? readXml(answer) };
}

function stepRequest(context: TokenContext, step: Step, values: Record<string, unknown>): TokenRequest {
  if (!step.address) throw missingTokenUrl(context.entry);
  const scope = paramScope(context, values);
  const method = step.method ?? 'POST';
  const format = method === 'GET' ? 'query' : (context.entry.body_format ?? 'json');
  const params = fillParams(step.params, scope);
  const { url, headers, body } = encodeParams(fillAddress(context, step.address, values), params, format);
  return {
    method,
    url,
    headers: { ...TOKEN_HEADERS, ...headers, ...fillHeaders(step.headers, scope) },
    ...(body === undefined ? {} : { body }),
  };
}

function refused(context: TokenContext, step: number, answer: StepAnswer, sent: Record<string, unknown>) {
  const code = step === 1 ? 'two_step_credentials_fetch_error' : (STEP_CODES[step] ?? 'invalid_two_step_credentials');
  const what = step === 1 ? 'The provider refused the credentials' : `The provider refused token request ${step}`;
  return providerRefusal({ code, what, answer, context, sent });
}
