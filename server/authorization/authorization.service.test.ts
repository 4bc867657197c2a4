import { describe, expect, it } from 'vitest';
import { createFormFlow, type FormRequest } from './authorization.service.ts';
import type { FlowContext } from './flow-context.ts';

const ROLE = 'arn:aws:iam::123456789012:role/Reader';

/** A flow that refuses the credentials after it recorded what they were requested with. */
function flowAt(stored: { connectionConfig: Record<string, unknown> } | undefined): {
  flow: ReturnType<typeof createFormFlow>;
  asked: Array<Record<string, unknown>>;
} {
  const asked: Array<Record<string, unknown>> = [];
  const context = { stored, connectionConfig: {}, operation: { redactSecrets: () => {} } };
  const parts = {
    contexts: { open: async () => context as unknown as FlowContext },
    credentials: {
      issue: async (_context: unknown, given: Record<string, unknown>) => {
        asked.push(given);
        throw new Error('no AWS here');
      },
    },
    succeed: async () => {},
    fail: async () => {},
    tests: {},
  };
  return { flow: createFormFlow(parts as unknown as Parameters<typeof createFormFlow>[0]), asked };
}

const request = (mode: FormRequest['mode'], given: Record<string, unknown>): FormRequest =>
  ({ mode, given, integrationKey: 'aws', params: {} }) as unknown as FormRequest;

// AWS itself tests the keys of a role, so tests of the whole hub cannot get past the first connection.
describe('FormFlow with a role at AWS', () => {
  const stored = { connectionConfig: { external_id: 'shown-before', region: 'eu-west-1', other: 'x' } };

  it('renews with the external id and the region that the connection has', async () => {
    const { flow, asked } = flowAt(stored);

    await expect(flow.submit(request('AWS_SIGV4', { role_arn: ROLE, region: 'us-east-1' }))).rejects.toThrow();

    expect(asked).toEqual([{ role_arn: ROLE, external_id: 'shown-before', region: 'eu-west-1' }]);
  });

  it('adds nothing to a first connection, nor to other modes', async () => {
    const first = flowAt(undefined);
    const other = flowAt(stored);

    await expect(first.flow.submit(request('AWS_SIGV4', { role_arn: ROLE }))).rejects.toThrow();
    await expect(other.flow.submit(request('TWO_STEP', { user: 'me' }))).rejects.toThrow();

    expect([first.asked, other.asked]).toEqual([[{ role_arn: ROLE }], [{ user: 'me' }]]);
  });
});
