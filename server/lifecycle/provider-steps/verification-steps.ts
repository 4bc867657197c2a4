import { z } from 'zod';
import { awsAuthorization, awsDate } from '../../platform/lib/aws-signature.ts';
import type { StepContext, StepResponse, VerificationStep } from './step-context.ts';
import { isSuccess } from './step-requests.ts';

const apolloLogin = z.object({ is_logged_in: z.literal(true) });

const STS_HOST = 'sts.amazonaws.com';

const STS_PATH = '/?Action=GetCallerIdentity&Version=2011-06-15';

/** JSON-RPC reports failures with status 200. */
const bitdefenderKey = z.object({ result: z.looseObject({}) });

/** The status is in the body; the HTTP status is always 200. */
const expensifySuccess = z.object({ responseCode: z.literal(200) });

const lastpassFailure = z.union([z.object({ status: z.literal('FAIL') }), z.object({ error: z.unknown() })]);

const skioSubscriptions = z.object({ data: z.object({ Subscriptions: z.array(z.unknown()) }) });

/** Refusals have status 200, too; an HTML page means that the address is not Snipe-IT's API. */
const snipeItUsers = z.object({ rows: z.array(z.unknown()) });

type ValidationResult = Awaited<ReturnType<VerificationStep>>;

/** Accepts a 2xx response only when its content passes the test, because the status alone does not show the result. */
function toValidationResult(
  response: StepResponse,
  isAccepted: (response: StepResponse) => boolean = () => true,
): ValidationResult {
  if (!isSuccess(response)) {
    return { ok: false, message: `The provider refused the credentials (status ${response.status}). ${CHECK}` };
  }
  return isAccepted(response) ? { ok: true } : { ok: false, message: `The provider refused the credentials. ${CHECK}` };
}

const CHECK = 'Check them and try again.';

/** Requests the identity of the keys, because every key may make this call, whatever its policies. */
const awsCredentialsVerification: VerificationStep = async (context) => {
  const response = await context.requestPlain({ url: `https://${STS_HOST}${STS_PATH}`, headers: signCall(context) });
  return toValidationResult(response);
};

/**
 * CDW and Vantage Apparel document no request for a test. Their base address is called, and only a clear refusal
 * counts; after any other response the credentials are accepted, as without a test.
 */
const undocumentedVerification: VerificationStep = async (context) => {
  const response = await context.request({ endpoint: '/' });
  return response.status === 401 || response.status === 403 ? toValidationResult(response) : { ok: true };
};

const STEPS = {
  /** Apollo always answers 200; the body says whether the key is known. */
  apolloCredentialsVerification: async (context) => {
    const response = await context.request({ endpoint: '/v1/auth/health' });
    return toValidationResult(response, ({ json }) => apolloLogin.safeParse(json).success);
  },
  awsIamCredentialsVerification: awsCredentialsVerification,
  awsInspector2CredentialsVerification: awsCredentialsVerification,
  /** A wrong token gets a login page with status 203. */
  azureDevopsCredentialsVerification: async (context) => {
    const response = await context.request({ endpoint: '/_apis/projects' });
    return toValidationResult(response, ({ status }) => status === 200);
  },
  bitdefenderCredentialsVerification: async (context) => {
    const response = await context.request({
      method: 'POST',
      endpoint: '/v1.0/jsonrpc/general',
      json: { jsonrpc: '2.0', id: context.provider, method: 'getApiKeyDetails', params: {} },
    });
    return toValidationResult(response, ({ json }) => bitdefenderKey.safeParse(json).success);
  },
  cdwCredentialsVerification: undocumentedVerification,
  /** Expensify takes credentials only in a job description; listing policies is the smallest job. */
  expensifyCredentialsVerification: async (context) => {
    const { username, password } = context.connection.credentials;
    const job = {
      type: 'get',
      credentials: { partnerUserID: username, partnerUserSecret: password },
      inputSettings: { type: 'policyList' },
    };
    const response = await context.request({
      method: 'POST',
      endpoint: '/ExpensifyIntegrations',
      form: { requestJobDescription: JSON.stringify(job) },
    });
    return toValidationResult(response, ({ json }) => expensifySuccess.safeParse(json).success);
  },
  /** LastPass takes the account number and the provisioning hash in the body, and refuses with status 200. */
  lastpassCredentialsVerification: async (context) => {
    const { username, password } = context.connection.credentials;
    const response = await context.request({
      method: 'POST',
      endpoint: '/enterpriseapi.php',
      json: { cid: username, provhash: password, cmd: 'getuserdata', data: { pagesize: '1', pageindex: '0' } },
    });
    return toValidationResult(response, hasData);
  },
  /** Responses are XML and report errors with status 200. */
  pushpayChmsV1CredentialsVerification: async (context) => {
    const response = await context.request({
      endpoint: '/api.php',
      query: { srv: 'api_status' },
      headers: { accept: 'application/xml' },
    });
    return toValidationResult(response, ({ text }) => /<ccb_api[\s>]/.test(text) && !/<error[\s>]/.test(text));
  },
  /** GraphQL refuses with status 200 and no data. */
  skioCredentialsVerification: async (context) => {
    const response = await context.request({
      method: 'POST',
      baseUrl: 'https://graphql.skio.com',
      endpoint: '/v1/graphql',
      json: { query: '{ Subscriptions(limit: 1) { id } }' },
    });
    return toValidationResult(response, ({ json }) => skioSubscriptions.safeParse(json).success);
  },
  snipeItCredentialsVerification: async (context) => {
    const response = await context.request({ endpoint: '/api/v1/users', query: { limit: '1' } });
    return toValidationResult(response, ({ json }) => snipeItUsers.safeParse(json).success);
  },
  vantageApparelCredentialsVerification: undocumentedVerification,
} satisfies Record<string, VerificationStep>;

/** Steps by the name in a catalogue entry's `credentials_verification_script` (providers.md 9). */
export const VERIFICATION_STEPS: ReadonlyMap<string, VerificationStep> = new Map(Object.entries(STEPS));

function signCall({ connection, now }: StepContext): Record<string, string> {
  const { username, password } = connection.credentials;
  const key = {
    accessKeyId: String(username ?? ''),
    secretAccessKey: String(password ?? ''),
    region: 'us-east-1',
    service: 'sts',
  };
  const headers = { 'x-amz-date': awsDate(now()) };
  const request = { method: 'GET', host: STS_HOST, path: STS_PATH, headers };
  return { authorization: awsAuthorization(request, key, now()), ...headers };
}

function hasData({ json }: StepResponse): boolean {
  return z.looseObject({}).safeParse(json).success && !lastpassFailure.safeParse(json).success;
}
