import { describe, expect, it } from 'vitest';
import type { StoredMessage } from '../messages.store.ts';
import type { OperationListRow } from '../operations.store.ts';
import { operationSpan, requestSpan } from './operation-spans.ts';

const ID = '11111111-2222-4333-8444-555555555555';

const OPERATION: OperationListRow = {
  ...{ id: ID, environmentId: 1, type: 'action', action: 'run', state: 'success', message: 'text of a person' },
  ...{ integrationKey: 'github', providerName: 'github', connectionId: 'mine', functionName: 'create-issue' },
  ...{
    endUserId: 'u-canary',
    endUserName: 'Ada Canary',
    variant: null,
    jobId: null,
    trigger: 'api',
    actor: 'app',
    sessionId: null,
  },
  ...{ httpCalls: 2, recordsChanged: 0, recordsAdded: 0, recordsUpdated: 0, recordsDeleted: 0 },
  ...{ createdAt: 900, updatedAt: 2000, startedAt: 1000, endedAt: 2000, expiresAt: null, durationMs: 1000 },
  ...{ cpuMs: null, memoryBytes: null, error: null },
};

const MESSAGE: StoredMessage = {
  ...{ id: 1_048_577, environmentId: 1, operationId: ID, createdAt: 1500, level: 'info', type: 'http' },
  ...{ source: 'internal', context: 'proxy', durationMs: 200, message: 'GET https://api.test/a' },
  details: {
    request: { method: 'GET', url: 'https://api.test/a?token=REDACTED', headers: { 'x-header': 'canary-header' } },
    response: { code: 200, headers: { 'x-answer': 'canary-header' } },
  },
};

interface Shown {
  attributes: Array<{ key: string; value: { stringValue?: string; intValue?: string } }>;
  [member: string]: unknown;
}

function read(text: string): { span: Omit<Shown, 'attributes'>; attributes: Record<string, string | undefined> } {
  const { attributes, ...span } = JSON.parse(text) as Shown;
  return {
    span,
    attributes: Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue ?? `${value.intValue} as int`]),
    ),
  };
}

const withDetails = (details: StoredMessage['details']) => read(requestSpan({ ...MESSAGE, details }));

describe('the span of an operation', () => {
  it('has the ids, the times and the names of its operation, and no person', () => {
    const text = operationSpan(OPERATION);

    expect(text).not.toMatch(/canary|text of a person/i);
    expect(read(text)).toEqual({
      span: {
        traceId: '11111111222243338444555555555555',
        spanId: '8444555555555555',
        name: 'action.run create-issue',
        kind: 1,
        startTimeUnixNano: '1000000000',
        endTimeUnixNano: '2000000000',
      },
      attributes: {
        'homeport.operation.id': ID,
        'homeport.operation.type': 'action',
        'homeport.operation.action': 'run',
        'homeport.operation.state': 'success',
        'homeport.integration': 'github',
        'homeport.provider': 'github',
        'homeport.connection': 'mine',
        'homeport.function': 'create-issue',
        'homeport.trigger': 'api',
        'homeport.actor': 'app',
        'homeport.http_calls': '2 as int',
        'homeport.records.added': '0 as int',
        'homeport.records.updated': '0 as int',
        'homeport.records.deleted': '0 as int',
      },
    });
  });

  it('says why it failed, without the payload of the error', () => {
    const error = { type: 'action_script_failure', message: 'No such issue', payload: { secret: 'canary-payload' } };
    const text = operationSpan({ ...OPERATION, state: 'failed', error });

    expect(text).not.toContain('canary');
    const { attributes, span } = read(text);
    expect(span['status']).toEqual({ code: 2, message: 'No such issue' });
    expect(attributes['error.type']).toBe('action_script_failure');
    const late = read(operationSpan({ ...OPERATION, state: 'timeout' }));
    expect([late.span['status'], late.attributes['error.type']]).toEqual([{ code: 2 }, 'timeout']);
    expect(read(operationSpan({ ...OPERATION, state: 'cancelled', error })).span).not.toHaveProperty('status');
  });

  it('begins with its creation when it never ran', () => {
    const { span } = read(operationSpan({ ...OPERATION, startedAt: null, durationMs: null, functionName: null }));
    const times = { startTimeUnixNano: '900000000', endTimeUnixNano: '900000000' };
    expect(span).toMatchObject({ name: 'action.run', ...times });
  });

  it('has no length when a crash cut it off: its end is the next start of the program', () => {
    const { span } = read(operationSpan({ ...OPERATION, state: 'failed', durationMs: null, endedAt: 86_400_000 }));
    expect(span).toMatchObject({ startTimeUnixNano: '1000000000', endTimeUnixNano: '1000000000' });
  });

  it('cuts long texts', () => {
    const { attributes } = read(operationSpan({ ...OPERATION, connectionId: 'x'.repeat(5000) }));
    expect(attributes['homeport.connection']).toHaveLength(4096);
  });
});

describe('the span of a request', () => {
  it('is the child of its operation, as HTTP clients are described, without headers', () => {
    const text = requestSpan(MESSAGE);

    expect(text).not.toContain('canary');
    expect(read(text)).toEqual({
      span: {
        traceId: '11111111222243338444555555555555',
        spanId: '0000000000100001',
        parentSpanId: '8444555555555555',
        name: 'GET',
        kind: 3,
        startTimeUnixNano: '1300000000',
        endTimeUnixNano: '1500000000',
      },
      attributes: {
        'http.request.method': 'GET',
        'url.full': 'https://api.test/a?token=REDACTED',
        'server.address': 'api.test',
        'server.port': '443 as int',
        'http.response.status_code': '200 as int',
      },
    });
  });

  it('has failed from status 400 on, and when no answer came', () => {
    const request = { method: 'POST', url: 'http://localhost:8080/' };
    const refused = withDetails({ request, response: { code: 404 }, retry: { attempt: 3, max: 3 } });
    expect(refused.span['status']).toEqual({ code: 2 });
    expect(refused.attributes).toMatchObject({
      'error.type': '404',
      'server.port': '8080 as int',
      'http.request.resend_count': '2 as int',
    });
    const cut = withDetails({ request, error: { type: 'ECONNRESET', message: 'The connection was closed' } });
    expect(cut.span['status']).toEqual({ code: 2, message: 'The connection was closed' });
    expect(cut.attributes['error.type']).toBe('ECONNRESET');
  });

  it('names only known methods, and leaves out what the entry lacks', () => {
    const odd = withDetails({ request: { method: 'PURGE', url: 'not an address' } });
    expect(odd.span['name']).toBe('HTTP');
    expect(odd.attributes).toEqual({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PURGE',
      'url.full': 'not an address',
    });
    expect(withDetails(null).attributes).toEqual({ 'http.request.method': '_OTHER' });
  });
});
