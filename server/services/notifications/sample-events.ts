import type { Environment } from '../environment/environment-service.ts';
import type { WebhookType } from './delivery.ts';
import { asyncActionPayload, authPayload, forwardPayload, syncPayload } from './webhook-payloads.ts';

const PLACE = { connectionId: 'sample-connection', providerConfigKey: 'sample-integration' };
/** No call has it, so the address in the sample answers 404 like that of a call that is under way. */
const SAMPLE_CALL_ID = '00000000-0000-4000-8000-000000000000';

/** A body of each type as a receiver gets it in earnest, with made-up values. */
export function samplePayload(type: WebhookType, environment: Environment, nowMs: number): Record<string, unknown> {
  switch (type) {
    case 'auth':
      return authPayload({
        ...PLACE,
        environment,
        provider: 'github',
        authMode: 'OAUTH2',
        operation: 'creation',
        success: true,
        endUser: {
          id: 'sample-user',
          email: 'user@example.com',
          displayName: null,
          organization: { id: 'sample-organization' },
          tags: null,
        },
        tags: { end_user_id: 'sample-user' },
      });
    case 'sync':
      return syncPayload({
        ...PLACE,
        environmentId: environment.id,
        providerName: 'github',
        syncName: 'sample-sync',
        syncVariant: 'base',
        syncType: 'INCREMENTAL',
        success: true,
        model: 'Sample',
        responseResults: { added: 1, updated: 2, deleted: 0 },
        modifiedAfter: nowMs,
      });
    case 'async_action':
      return asyncActionPayload({ ...PLACE, environment, actionName: 'sample-action', callId: SAMPLE_CALL_ID });
    case 'forward':
      return forwardPayload(
        {
          environment,
          integration: { uniqueKey: PLACE.providerConfigKey, provider: 'github', forwardsWebhooks: true },
          payload: { action: 'opened', issue: { number: 1, title: 'A sample issue' } },
          headers: {},
          connections: [],
        },
        PLACE.connectionId,
      );
  }
}
