import type { ProviderEntry } from '../../../catalog/entry-schema.ts';
import { responseMetadata } from '../response-metadata.ts';
import type { Mint, TokenContext } from '../token-context.ts';
import { currentAssertion } from './current-assertion.ts';
import { signTemplateToken } from './sign-jwt.ts';
import { capturedHeaders, readTwoStepToken, TWO_STEP_MEMBERS } from './two-step-answer.ts';
import { runSteps, type Step } from './two-step-requests.ts';

/** TWO_STEP: a token fetched with what was entered, in one or more requests (auth-and-connect.md 2.5). */
export const mintTwoStep: Mint = async (context, given) => {
  const preset = presetValues(context);
  const values = { ...given, ...preset };
  const { isRefresh, ...first } = chooseCall(context.entry, values);
  const assertion = context.entry.assertion && !isRefresh ? await currentAssertion(context, values) : undefined;
  const working = {
    ...values,
    ...(assertion === undefined ? {} : { assertion }),
    ...(context.entry.signature ? await signed(context, values) : {}),
  };
  const startedAt = context.now();
  const steps = await runSteps(context, first, working);
  const { raw, ...token } = readTwoStepToken(context, steps.last, startedAt);
  return {
    credentials: {
      ...storedInputs(given, preset),
      ...(assertion === undefined ? {} : { assertion }),
      ...capturedHeaders(context.entry, steps.answers),
      type: 'TWO_STEP',
      ...token,
      ...(raw === undefined ? {} : { raw }),
    },
    config: responseMetadata(context.entry, steps.last.value),
  };
};

/** What the developer set for everybody; it wins over what a person enters and never reaches a connection. */
function presetValues({ entry, custom }: TokenContext): Record<string, string> {
  const names = Object.keys(entry.integration_config ?? {});
  return Object.fromEntries(names.flatMap((name) => (custom[name] ? [[name, custom[name]]] : [])));
}

function chooseCall(entry: ProviderEntry, values: Record<string, unknown>): Step & { isRefresh: boolean } {
  const { refresh_token_params: params, refresh_token_headers: headers } = entry;
  const isRefresh = Boolean((params || headers) && values['refresh_token']);
  const { token_url: tokenUrl, token_request_method: method } = entry;
  const address =
    (isRefresh ? entry.refresh_url : undefined) ?? (typeof tokenUrl === 'object' ? tokenUrl['TWO_STEP'] : tokenUrl);
  return {
    isRefresh,
    address,
    method,
    params: isRefresh ? params : entry.token_params,
    headers: (isRefresh ? headers : undefined) ?? entry.token_headers,
  };
}

async function signed(context: TokenContext, values: Record<string, unknown>): Promise<{ token: string }> {
  const { token } = await signTemplateToken(context, values, 'invalid_two_step_credentials');
  return { token };
}

/** What was entered, without values of the integration, of one use, or of the answer before. */
function storedInputs(given: Record<string, unknown>, preset: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name]) => !Object.hasOwn(preset, name) && !TWO_STEP_MEMBERS.has(name) && name !== 'assertionOption',
    ),
  );
}
