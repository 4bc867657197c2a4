import { describe, expect, it } from 'vitest';
import type { MessageListItem, OperationDetailResponse } from '../../api/contract.ts';
import { curlOf, endpointOf, failedLineOf, reportOf, sentenceOf, timelineOf } from './operation-report.ts';

const operation: OperationDetailResponse = {
  id: 'op-1',
  operation: { type: 'sync', action: 'run' },
  state: 'failed',
  message: 'Run fetch-invoices',
  integrationName: 'xero',
  providerName: 'xero',
  connectionName: 'harrow-books',
  endUserName: null,
  syncConfigName: 'fetch-invoices',
  trigger: 'schedule',
  error: {
    message: 'Request failed with status code 429',
    type: 'script_http_error',
    payload: { stacktrace: ['Error: x', '    at run (fetch-invoices.ts:31:9)'] },
  },
  createdAt: '2026-11-22T10:00:00.000Z',
  startedAt: '2026-11-22T10:00:00.000Z',
  endedAt: '2026-11-22T10:00:03.000Z',
  durationMs: 3000,
  cpuMs: null,
  memoryBytes: null,
  recordsChanged: 17,
  recordsAdded: 12,
  recordsUpdated: 5,
  recordsDeleted: 0,
  variant: 'base',
  httpCalls: 2,
  actor: null,
  sessionId: null,
  meta: null,
  expiresAt: null,
  integrationTitle: null,
  recordedLevel: 'info',
};

const message = (id: string, atMs: number, more: Partial<MessageListItem>): MessageListItem => ({
  id,
  createdAt: new Date(Date.parse(operation.createdAt) + atMs).toISOString(),
  level: 'info',
  type: 'log',
  source: 'internal',
  context: 'script',
  recordingId: null,
  message: id,
  durationMs: null,
  error: null,
  request: null,
  response: null,
  retry: null,
  meta: null,
  persistResults: null,
  ...more,
});

const MESSAGES = [
  message('saved', 500, {
    durationMs: 60,
    persistResults: { model: 'Invoice', added: 14, updated: 3, deleted: 0, unchanged: 183 },
  }),
  message('called', 1000, {
    durationMs: 400,
    request: { method: 'GET', url: 'https://api.xero.example/api.xro/2.0/Invoices?page=3&access_token=s3cret' },
    response: { code: 429, headers: { 'Retry-After': '2' } },
    retry: { attempt: 1, max: 3, waitedMs: 2000 },
  }),
  message('a | b', 2900, { level: 'error' }),
];

describe('an operation in words', () => {
  it('begins with the error, otherwise with the outcome', () => {
    expect(sentenceOf(operation)).toBe('Request failed with status code 429');
    expect(sentenceOf({ ...operation, error: null, state: 'success' })).toBe(
      'fetch-invoices finished in 3.00 s: 2 requests, 17 records changed.',
    );
    const deployed = {
      operation: { type: 'deploy', action: 'custom' },
      message: 'Deployed sync fetch-invoices version 3',
    };
    expect(sentenceOf({ ...operation, ...deployed, error: null, state: 'success' })).toBe(
      'Deployed sync fetch-invoices version 3',
    );
  });

  it('says which request the provider refused, how often in a row, and what is saved', () => {
    const ask = message('ask', 2000, { request: { method: 'GET', url: 'https://x.example/a?b=1' } });
    const refused = { ...ask, response: { code: 429, headers: {} } };
    const fine = { ...ask, response: { code: 200, headers: {} } };

    expect(sentenceOf(operation, [fine, refused, refused])).toBe(
      'xero answered 429 to GET /a, 2 times in a row. What was saved before stays: 17 records.',
    );
    expect(sentenceOf({ ...operation, error: null, recordsChanged: 0 }, [ask])).toBe('xero did not answer GET /a.');
    // Cases: the last request did not fail, the author wrote a message, the requests are unknown.
    expect(sentenceOf(operation, [refused, fine])).toBe('Request failed with status code 429');
    const told = { message: 'No deals today', type: 'script_http_error' };
    expect(sentenceOf({ ...operation, error: told }, [refused])).toBe('No deals today');
    expect(sentenceOf(operation)).toBe('Request failed with status code 429');
  });

  it('names the line of the source that failed', () => {
    expect(failedLineOf(operation)).toEqual({ file: 'fetch-invoices.ts', line: 31 });
    expect(failedLineOf({ ...operation, error: null })).toBeUndefined();
  });
});

describe('timelineOf', () => {
  it('puts saves, requests and waits where they were', () => {
    const { steps, totalMs } = timelineOf(operation, MESSAGES);

    expect(steps.map(({ word, label, fromMs, durationMs }) => [word, label, fromMs, durationMs])).toEqual([
      ['save', '200 records of Invoice, 183 unchanged', 440, 60],
      ['GET', '/api.xro/2.0/Invoices?page=3&access_token=s3cret', 600, 400],
      ['wait', 'Retry-After', 1000, 2000],
    ]);
    expect(totalMs).toBe(3000);
  });
});

describe('reportOf', () => {
  it('reports the operation without values that may be secret', () => {
    const report = reportOf(operation, MESSAGES);

    expect(report).toContain('# fetch-invoices (sync:run): failed');
    expect(report).toContain('- Source: fetch-invoices.ts:31');
    expect(report).toContain('error: a \\| b');
    expect(report).toContain('access_token=REMOVED');
    expect(report).not.toContain('s3cret');
    expect(report).toContain('2026-11-22T10:00:00.000Z, took 3.00 s');
    expect(reportOf({ ...operation, state: 'running', durationMs: null }, [])).toContain('00.000Z, still running');
  });
});

describe('a request', () => {
  it('becomes a command with placeholders for secrets that the log removed', () => {
    const request = { method: 'POST', url: 'https://a.example/x', headers: { Authorization: 'REDACTED', host: 'a' } };

    const head = "curl -X POST 'https://a.example/x' \\\n  -H 'Authorization: <fill in>'";
    expect(curlOf({ request }, null)).toBe(head);
    const body = {
      text: `{"it's":"REDACTED"}`,
      encoding: 'utf8',
      contentType: null,
      sizeBytes: 9,
      isCut: false,
    } as const;
    expect(curlOf({ request }, body)).toBe(`${head} \\\n  --data-raw '{"it'\\''s":"<fill in>"}'`);
    expect(curlOf({ request }, { ...body, text: 'AAE=', encoding: 'base64' })).toBe(
      `printf %s 'AAE=' | base64 -d | ${head} \\\n  --data-binary @-`,
    );
  });

  it('becomes a command that says when a body is not in it', () => {
    const request = { method: 'POST', url: 'https://a.example/x', headers: {} };
    const cut = { text: '{"a":', encoding: 'utf8', contentType: null, sizeBytes: 9, isCut: true } as const;

    const lost = "# The body of this request was not recorded.\ncurl -X POST 'https://a.example/x'";
    expect(curlOf({ request }, undefined)).toBe(lost);
    expect(curlOf({ request: { ...request, method: 'patch' } }, undefined)).toContain('# The body');
    expect(curlOf({ request }, cut)).toBe(
      "# Only the beginning of the body was recorded; it is left out.\ncurl -X POST 'https://a.example/x'",
    );
    expect(curlOf({ request: { ...request, method: 'GET' } }, undefined)).toBe("curl 'https://a.example/x'");
  });

  it('is found below the base address of its provider', () => {
    const url = 'https://api.xero.example/api.xro/2.0/Invoices?page=3';
    expect(endpointOf(url, 'https://api.xero.example/api.xro/2.0')).toBe('/Invoices?page=3');
    expect(endpointOf(url, 'https://${connectionConfig.host}/api.xro/2.0')).toBe('/Invoices?page=3');
    expect(endpointOf(url, null)).toBe('/api.xro/2.0/Invoices?page=3');
  });
});
