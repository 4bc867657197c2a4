import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../environments/environment-settings.ts';
import { stableJson } from '../platform/lib/stable-json.ts';
import {
  type AuthEvent,
  asyncActionPayload,
  authPayload,
  forwardBody,
  type SyncFailed,
  type SyncSucceeded,
  syncPayload,
} from './payloads.ts';

const environment = { id: 1, uuid: '7c1f2a7e-6a53-4c0e-9a53-3f6d7a1c2b4e', name: 'dev', settings: DEFAULT_SETTINGS };
const START = Date.parse('2026-01-05T10:00:00.000Z');

const auth: AuthEvent = {
  environment,
  connectionId: 'c-1',
  providerConfigKey: 'github',
  provider: 'github',
  authMode: 'OAUTH2',
  operation: 'creation',
  success: true,
};
const syncFacts = {
  environmentId: 1,
  connectionId: 'c-1',
  providerConfigKey: 'crm',
  providerName: 'hubspot',
  syncName: 'contacts',
  syncVariant: 'base',
};
const succeeded: SyncSucceeded = {
  ...syncFacts,
  syncType: 'INITIAL',
  success: true,
  model: 'Contact',
  responseResults: { added: 1, updated: 2, deleted: 0 },
  modifiedAfter: START,
};
const failed: SyncFailed = {
  ...syncFacts,
  syncType: 'INCREMENTAL',
  success: false,
  model: 'Contact,Deal',
  error: { message: 'provider is down', type: 'sync_script_failure' },
  startedAt: START,
  failedAt: START + 7000,
};

describe('the auth webhook', () => {
  it('is byte for byte that of the contract', () => {
    const endUser = { id: 'u1', email: 'a@b.c', displayName: 'A', organization: { id: 'o1' }, tags: null };

    expect(stableJson(authPayload({ ...auth, endUser, tags: { k: 'v' } }))).toBe(
      '{"authMode":"OAUTH2","connectionId":"c-1","endUser":{"endUserEmail":"a@b.c","endUserId":"u1","organizationId":"o1","tags":{}},"environment":"dev","from":"nango","operation":"creation","provider":"github","providerConfigKey":"github","success":true,"tags":{"k":"v"},"type":"auth"}',
    );
  });

  it('leaves out what there is not', () => {
    const endUser = { id: 'u1', email: null, displayName: null, organization: null, tags: { t: '1' } };

    expect(stableJson(authPayload({ ...auth, endUser }))).toContain(
      '"endUser":{"endUserEmail":null,"endUserId":"u1","tags":{"t":"1"}}',
    );
    expect(stableJson(authPayload({ ...auth, endUser: null }))).toBe(
      '{"authMode":"OAUTH2","connectionId":"c-1","environment":"dev","from":"nango","operation":"creation","provider":"github","providerConfigKey":"github","success":true,"type":"auth"}',
    );
  });

  it('has an error for failures only', () => {
    const error = { type: 'refresh_token_external_error', description: 'Refused' };

    expect(authPayload({ ...auth, operation: 'refresh', success: false, error })).toMatchObject({
      success: false,
      error,
    });
    expect(stableJson(authPayload({ ...auth, error }))).not.toContain('error');
  });
});

describe('the sync webhook', () => {
  it('of a success is byte for byte that of the contract', () => {
    expect(stableJson(syncPayload({ ...succeeded, checkpoints: { from: null, to: { page: 2 } } }))).toBe(
      '{"checkpoints":{"from":null,"to":{"page":2}},"connectionId":"c-1","from":"nango","model":"Contact","modifiedAfter":"2026-01-05T10:00:00.000Z","providerConfigKey":"crm","queryTimeStamp":"2026-01-05T10:00:00.000Z","responseResults":{"added":1,"deleted":0,"updated":2},"success":true,"syncName":"contacts","syncType":"INITIAL","syncVariant":"base","type":"sync"}',
    );
  });

  it('of a failure is byte for byte that of the contract, with the message that was thrown', () => {
    expect(stableJson(syncPayload(failed))).toBe(
      '{"connectionId":"c-1","error":{"description":"provider is down","type":"script_error"},"failedAt":"2026-01-05T10:00:07.000Z","from":"nango","model":"Contact,Deal","providerConfigKey":"crm","startedAt":"2026-01-05T10:00:00.000Z","success":false,"syncName":"contacts","syncType":"INCREMENTAL","syncVariant":"base","type":"sync"}',
    );
  });

  it('of a failure carries payload and upstream answer', () => {
    const additionalProperties = { upstream_response: { status: 500 } };
    const error = { ...failed.error, payload: { b: 1 }, additionalProperties };

    expect(syncPayload({ ...failed, error })['error']).toEqual({
      type: 'script_error',
      description: 'provider is down',
      payload: { b: 1 },
      additional_properties: additionalProperties,
    });
  });
});

describe('the other webhooks', () => {
  const integration = { uniqueKey: 'my-hubspot', provider: 'hubspot', forwardsWebhooks: true };

  it('async_action carries where the answer is, and no answer', () => {
    const event = { environment, connectionId: 'c-1', providerConfigKey: 'crm', actionName: 'do', callId: 'a-b' };

    expect(stableJson(asyncActionPayload(event))).toBe(
      '{"connectionId":"c-1","from":"nango","payload":{"id":"a-b","statusUrl":"/action/a-b"},"providerConfigKey":"crm","type":"async_action"}',
    );
  });

  it('forward comes from the provider', () => {
    expect(forwardBody({ integration, json: '{}' }, 'c-1')).toBe(
      '{"connectionId":"c-1","from":"hubspot","payload":{},"providerConfigKey":"my-hubspot","type":"forward"}',
    );
  });

  it.each([
    ['[ {"b":738529527931269425, "a":1.0} ]', '[{"b":738529527931269425,"a":1.0}]'],
    ['{"a":1,"a":2,"__proto__":{"10":1e400,"2":-0}}', '{"a":1,"a":2,"__proto__":{"10":1e400,"2":-0}}'],
    ['"\\u0000\\ud800"', '"\\u0000\\ud800"'],
  ])('forward keeps %s', (json, payload) => {
    expect(forwardBody({ integration, json }, 'c-1')).toContain(`"payload":${payload},`);
  });

  it('forward is the text that a receiver writes who parses it', () => {
    const body = forwardBody({ integration, json: '{ "z" : "\\u00e9\\/", "a" : [1, 2.5] }' }, 'c-1');

    expect(JSON.stringify(JSON.parse(body))).toBe(body);
  });
});
