// @module-tag slow
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CollectedSpan, CollectorStandIn } from '../../support/collector-stand-in.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { lookInto } from '../../support/look-into.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

const FILES = {
  'actions/untraced.ts': actionSource('return 1;'),
  'actions/calls.ts': actionSource(
    `await nango.log('canary-line', { level: 'error' });
     await nango.get({ endpoint: '/ok?token=canary-url', headers: { 'x-note': 'canary-header' } });
     await nango.get({ endpoint: '/bad' }).catch(() => {});
     return { text: 'canary-output' };`,
  ),
  'actions/fails.ts': actionSource(
    `throw new nango.ActionError({ message: 'No such issue', detail: 'canary-payload' });`,
  ),
  'actions/retried.ts': actionSource('return 1;'),
  'actions/last.ts': actionSource('return 1;'),
  'actions/off.ts': actionSource('return 1;'),
};
const SECRET = 'canary-of-the-collector';

let hub: FunctionHub;
let collector: CollectorStandIn;
beforeAll(async () => {
  hub = await startFunctionHub(FILES);
  hub.provider
    .on('GET /ok', { body: { text: 'canary-answer' } })
    .on('GET /bad', { status: 500, body: { text: 'canary-answer' } });
});
beforeEach(async () => {
  collector = await CollectorStandIn.start();
  await setCollector(collector.endpoint);
});
afterEach(async () => {
  await setCollector(null);
  await collector.stop();
});
afterAll(() => hub?.stop());

async function setCollector(otlp_endpoint: string | null): Promise<void> {
  const otlp_headers = [{ name: 'X-Api-Key', value: SECRET }];
  const { status } = await hub.call('PATCH', '/environment/settings', { body: { otlp_endpoint, otlp_headers } });
  expect(status).toBe(200);
}

const callProxied = () =>
  hub.call('GET', '/proxy/ok?access_token=canary-url', {
    headers: { 'provider-config-key': 'acme', 'connection-id': 'c1' },
  });

/** Waits until the end of a run is stored: spans that are not sent by then are never sent. */
async function waitUntilLogged(name: string): Promise<void> {
  const sql = 'SELECT 1 FROM log_operations WHERE function_name = ? AND ended_at IS NOT NULL AND action = ?';
  await lookInto(hub.server.home, ({ reader }) =>
    waitFor(() => reader.get(sql, [name, 'run']), { what: `the end of ${name} in the log` }),
  );
}

const named = (spans: CollectedSpan[], name: string): CollectedSpan => {
  const [found, more] = spans.filter((span) => span.name === name);
  if (!found || more) throw new Error(`${found ? 'more than one' : 'no'} span ${name}`);
  return found;
};
const childrenOf = (spans: CollectedSpan[], { spanId, traceId }: CollectedSpan): CollectedSpan[] =>
  spans.filter((span) => span.traceId === traceId && span.parentSpanId === spanId);

describe('the export of telemetry', () => {
  it('sends no operation from before it was switched on', { tags: ['main-path'] }, async () => {
    await setCollector(null);
    await hub.action('untraced');
    await waitUntilLogged('untraced');
    await setCollector(collector.endpoint);
    await hub.action('calls', { text: 'canary-input' });

    const spans = await collector.waitForSpans('action.run calls');
    expect(spans.map(({ name }) => name)).not.toContain('action.run untraced');
  });

  it('sends a run as a span with one child for each of its requests', { tags: ['main-path'] }, async () => {
    await hub.action('calls', { text: 'canary-input' });
    const spans = await waitFor(
      () =>
        childrenOf(collector.spans, named(collector.spans, 'action.run calls')).length === 2
          ? collector.spans
          : undefined,
      { what: 'a span of the run and two of its requests' },
    );
    const run = named(spans, 'action.run calls');

    expect(run.parentSpanId).toBeUndefined();
    expect(run.status).toBeUndefined();
    expect(run.attributes).toMatchObject({
      'homeport.operation.id': run.traceId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      'homeport.operation.type': 'action',
      'homeport.operation.state': 'success',
      'homeport.integration': 'acme',
      'homeport.provider': 'acme',
      'homeport.connection': 'c1',
      'homeport.function': 'calls',
      'homeport.http_calls': 2,
    });
    expect(run.resource).toEqual({
      'service.name': 'homeport',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
      'deployment.environment.name': 'dev',
    });
    const [good, bad] = childrenOf(spans, run).toSorted((a, b) =>
      Number(BigInt(a.endTimeUnixNano) - BigInt(b.endTimeUnixNano)),
    );
    expect(good).toMatchObject({ name: 'GET', kind: 3 });
    expect(good?.status).toBeUndefined();
    expect(good?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.full': expect.stringMatching(/\/ok\?token=REDACTED/),
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(hub.provider.address).port),
      'http.response.status_code': 200,
    });
    expect(bad?.status?.code).toBe(2);
    expect(bad?.attributes).toMatchObject({ 'http.response.status_code': 500, 'error.type': '500' });
  });

  it('sends a proxied call in the same way', async () => {
    await callProxied();

    const spans = await collector.waitForSpans('proxy.call');
    const call = named(spans, 'proxy.call');
    expect(call.attributes).toMatchObject({ 'homeport.integration': 'acme', 'homeport.connection': 'c1' });
    const [child, ...others] = await waitFor(
      () => {
        const children = childrenOf(collector.spans, call);
        return children.length > 0 ? children : undefined;
      },
      { what: 'the span of the request' },
    );
    expect(others).toEqual([]);
    expect(child?.attributes).toMatchObject({ 'http.request.method': 'GET', 'http.response.status_code': 200 });
  });

  it('marks failures, with the message of the error', async () => {
    await hub.action('fails');

    const run = named(await collector.waitForSpans('action.run fails'), 'action.run fails');
    expect(run.status).toEqual({ code: 2, message: expect.stringContaining('No such issue') });
    expect(run.attributes).toMatchObject({
      'homeport.operation.state': 'failed',
      'error.type': 'action_script_runtime_error',
    });
  });

  it('sends its headers, and no secret, no body and no line of a function', async () => {
    await hub.action('calls', { text: 'canary-input' });
    await callProxied();
    await hub.action('fails');
    await collector.waitForSpans('action.run calls', 'proxy.call', 'action.run fails', 'GET');

    const { requests } = collector;
    for (const { body, headers } of requests) {
      expect(headers['x-api-key']).toBe(SECRET);
      expect(body.toString()).not.toMatch(/canary|acme-key/);
    }
  });

  it('sends the same spans again when the collector is busy', async () => {
    collector.respond({ status: 503, headers: { 'retry-after': '1' } }, {});
    await hub.action('retried');

    const [first, second] = await waitFor(() => (collector.requests.length >= 2 ? collector.requests : undefined), {
      what: 'the second request',
    });
    expect(first?.body.toString()).toContain('retried');
    expect(second?.body).toEqual(first?.body);
  });

  it('sends nothing once it is off, and the waiting spans when the hub stops', async () => {
    await setCollector(null);
    await hub.action('off');
    await waitUntilLogged('off');
    await setCollector(collector.endpoint);
    await hub.action('last');
    await hub.server.restart();

    const names = collector.spans.map(({ name }) => name);
    expect(names).toContain('action.run last');
    expect(names).not.toContain('action.run off');
  });
});
