import aws4 from 'aws4';
import { toVerdict } from './credential-verdict.ts';
import type { StepContext, VerificationStep } from './step-context.ts';

const HOST = 'sts.amazonaws.com';
const PATH = '/?Action=GetCallerIdentity&Version=2011-06-15';

/** Asks who the keys belong to: the one call that every key may make, whatever its policies. */
export const awsCredentialsVerification: VerificationStep = async (context) => {
  const answer = await context.requestPlain({ url: `https://${HOST}${PATH}`, headers: signCall(context) });
  return toVerdict(answer);
};

function signCall({ connection, now }: StepContext): Record<string, string> {
  const { username, password } = connection.credentials;
  const date = new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const { headers } = aws4.sign(
    { service: 'sts', region: 'us-east-1', method: 'GET', host: HOST, path: PATH, headers: { 'X-Amz-Date': date } },
    { accessKeyId: String(username ?? ''), secretAccessKey: String(password ?? '') },
  );
  return { authorization: String(headers?.['Authorization']), 'x-amz-date': date };
}
