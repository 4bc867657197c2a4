import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { lookInto } from '../../support/look-into.ts';
import { actionSource, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';

interface LogLine {
  level: string;
  type: string;
  source: string;
  message: string;
  details: string | null;
}

const ALL_LEVELS = `
    await nango.log('debug line', { level: 'debug' });
    await nango.log('info line');
    await nango.log('warn line', { count: 1, secret: { Authorization: 'Bearer hide-me' } }, { level: 'warn' });
    await nango.log({ an: 'object' }, { level: 'error' });
    await nango.log('verbose line', { level: 'verbose' });
    await nango.log('no such level', { level: 'loud' });
    await nango.log();`;

const FILES = {
  'actions/default-level.ts': actionSource(ALL_LEVELS),
  'actions/own-level.ts': actionSource(`nango.setLogger({ level: 'debug' });\n${ALL_LEVELS}`),
  'actions/off.ts': actionSource(
    `nango.setLogger({ level: 'off' }); nango.setLogger({ level: 'debug' });\n${ALL_LEVELS}`,
  ),
  'actions/calls.ts': actionSource(
    `await nango.get({ endpoint: '/ok?token=in-the-url' }); await nango.get({ endpoint: '/bad' }).catch(() => {});`,
  ),
  // One function for each test: a test reads the latest run of its function.
  'actions/by-setting.ts': actionSource(ALL_LEVELS),
  'actions/by-variable.ts': actionSource(ALL_LEVELS),
  'actions/by-both.ts': actionSource(ALL_LEVELS),
  'actions/attempts.ts': actionSource(`
    await nango.get({ endpoint: '/flaky', retries: 2, headers: { Authorization: 'Basic of-the-caller' } });
    await nango.get({ endpoint: '/cut' }).catch(() => {});`),
  'actions/messages.ts': actionSource(`
    const error = { level: 'error' };
    await nango.log(null, error);
    await nango.log(undefined, error);
    await nango.log(7, error);
    await nango.log('payload', { list: [1, { a: Buffer.from('x') }], Authorization: 'Basic hide-me', stack: 'gone', deep: { at: new Date(0) } }, error);
    await nango.log('bare payload', [1, 2], error);
    await nango.log('second only', { kept: true }, { dropped: true }, error);
    await nango.log('an Error', new TypeError('inside'), error);
    await nango.log('large', { small: 1, large: 'x'.repeat(150000) }, error);
    await nango.log({ level: 'error' });
    nango.log('not awaited', error).catch(() => {});`),
  'actions/long.ts': actionSource(`await nango.log('x'.repeat(200000), { level: 'error' });`),
  'syncs/twice.ts': syncSource(`
    nango.setLogger({ level: 'info' });
    await nango.setMergingStrategy({ strategy: 'override' }, 'Item');
    await nango.setMergingStrategy({ strategy: 'override' }, 'Item');
    await nango.batchSave([{ id: '1', text: 'first' }, { id: '1', text: 'second' }, { id: '2', text: 'x' }], 'Item');`),
};

let hub: FunctionHub;

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
  hub.provider.on('GET /ok', { body: {} }).on('GET /bad', { status: 500, body: {} });
});
afterAll(() => hub?.stop());

/** The log of the latest run of a function, once the end of the run is in it. */
function logOf(name: string, of: FunctionHub = hub): Promise<LogLine[]> {
  return lookInto(of.server.home, ({ reader }) =>
    // The end of the run is its last message; the operation may be stored as ended a moment before its messages.
    waitFor(async () => {
      const last = await reader.get<{ seq: number }>(
        "SELECT seq FROM log_operations WHERE function_name = ? AND action = 'run' ORDER BY seq DESC LIMIT 1",
        [name],
      );
      const lines = last ? await reader.all<LogLine>(MESSAGES, [last.seq]) : [];
      return lines.some(({ message }) => /^Run of .* ended$/.test(message)) ? lines : undefined;
    }),
  );
}

const MESSAGES = 'SELECT level, type, source, message, details FROM log_messages WHERE id >> 20 = ? ORDER BY id';

const own = (lines: LogLine[]): Array<[string, string]> =>
  lines.filter(({ source }) => source === 'user').map(({ level, message }) => [level, message]);

describe('the log of a run', () => {
  it('keeps warn and error by default', async () => {
    await hub.action('default-level');

    const lines = await logOf('default-level');
    expect(own(lines)).toEqual([
      ['warn', 'warn line'],
      ['error', '{"an":"object"}'],
    ]);
    expect(JSON.stringify(lines)).not.toContain('hide-me');
  });

  it('keeps the messages that setLogger allows, and accepts the older names of levels', async () => {
    await hub.action('own-level');

    expect(own(await logOf('own-level'))).toEqual([
      ['debug', 'debug line'],
      ['info', 'info line'],
      ['warn', 'warn line'],
      ['error', '{"an":"object"}'],
      ['debug', 'verbose line'],
    ]);
  });

  it('stays off once it is off', async () => {
    await hub.action('off');

    expect(own(await logOf('off'))).toEqual([]);
  });

  it('has one entry per request, without secrets', async () => {
    await hub.action('calls');

    const lines = await logOf('calls');
    expect(
      lines.filter(({ type }) => type === 'http').map(({ level, message }) => [level, message.split(' ')[0]]),
    ).toEqual([
      ['info', 'GET'],
      ['error', 'GET'],
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/acme-key|in-the-url/);
  });

  it('has one entry per attempt, and one for each decision to try again', async () => {
    let left = 2;
    hub.provider
      .on('GET /flaky', () => (left-- > 0 ? { status: 503, headers: { 'retry-after': '0' } } : { body: {} }))
      .on('GET /cut', { drop: true });
    await hub.action('attempts');

    const lines = await logOf('attempts');
    const kept = lines.map(({ level, type, message, details }) => {
      const { response, retry, error } = JSON.parse(details ?? '{}');
      return [
        level,
        type,
        type === 'http' ? message.split('?')[0] : message,
        // A response is stored as a list that begins with its code.
        response?.[0],
        retry?.attempt,
        error?.type,
      ];
    });
    const flaky = `GET ${hub.provider.address}/flaky`;
    expect(kept.slice(0, 5)).toEqual([
      ['error', 'http', flaky, 503, 1, undefined],
      [
        'warn',
        'log',
        expect.stringMatching(/^Trying again in 0 ms \(status_503\), attempt 1 of 3/),
        ...[undefined, undefined, undefined],
      ],
      ['error', 'http', flaky, 503, 2, undefined],
      ['warn', 'log', expect.stringContaining('attempt 2 of 3'), ...[undefined, undefined, undefined]],
      ['info', 'http', flaky, 200, 3, undefined],
    ]);
    const [level, type, message, code, attempt, error] = kept[5] ?? [];
    expect([level, type, message, code, attempt]).toEqual([
      'error',
      'http',
      `GET ${hub.provider.address}/cut`,
      undefined,
      undefined,
    ]);
    expect(error).toBe('ECONNRESET');
    expect(JSON.stringify(lines)).not.toMatch(/of-the-caller|acme-key/);
  });

  it('takes any message and payload, and keeps them small and safe', async () => {
    await hub.action('messages');

    const lines = (await logOf('messages')).filter(({ source }) => source === 'user');
    const metaOf = (message: string) =>
      JSON.parse(lines.find((line) => line.message === message)?.details ?? '{}').meta;
    expect(lines.map(({ message }) => message)).toEqual([
      'null',
      'null',
      '7',
      'payload',
      'bare payload',
      'second only',
      'an Error',
      'large',
      'not awaited',
    ]);
    expect(metaOf('payload')).toEqual({
      list: { 0: 1, 1: { a: '[Buffer]' } },
      Authorization: expect.not.stringContaining('hide-me'),
      deep: { at: '1970-01-01T00:00:00.000Z' },
    });
    expect(metaOf('bare payload')).toEqual({ 0: 1, 1: 2 });
    expect(metaOf('second only')).toEqual({ kept: true });
    expect(metaOf('an Error')).toMatchObject({ name: 'TypeError', message: 'inside' });
    expect(metaOf('large')).toMatchObject({ small: 1 });
    expect(JSON.stringify(metaOf('large')).length).toBeLessThan(99_000);
  });

  it('cuts long messages and says so', async () => {
    await hub.action('long');

    const [line] = (await logOf('long')).filter(({ source }) => source === 'user');
    expect(line?.message.length).toBeLessThanOrEqual(10_100);
    expect(line?.message).not.toMatch(/x$/);
  });

  it('separates messages of the runtime from those of the author', async () => {
    await hub.connection.nango.triggerSync('acme', ['twice'], 'c1');
    await waitForSync(hub.connection, 'twice', hasSucceeded);

    const lines = await logOf('twice');
    expect(own(lines)).toEqual([]);
    expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      expect.stringContaining("'1'"),
    ]);
    expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringContaining('merging strategy'),
    ]);
    expect(lines.filter(({ level, source }) => level === 'info' && source === 'internal').length).toBeGreaterThan(0);
  });
});

describe('the level that the environment sets', () => {
  const variables = [{ name: 'NANGO_LOGGER_LEVEL', value: 'error' }];
  afterEach(() => hub.call('PATCH', '/environment/settings', { body: { log_level: null, variables: [] } }));

  it.each([
    ['by-setting', { log_level: 'error' }],
    ['by-variable', { log_level: null, variables }],
    ['by-both', { log_level: 'debug', variables }],
  ])('counts from the next run on: %s', async (name, body) => {
    await hub.call('PATCH', '/environment/settings', { body });

    await hub.action(name);

    expect(own(await logOf(name))).toEqual([['error', '{"an":"object"}']]);
  });

  it('counts until a function sets its own', async () => {
    const files = { 'actions/default-level.ts': actionSource(ALL_LEVELS) };
    const other = await startFunctionHub(files, { env: { HOMEPORT_LOGGER_LEVEL: 'error' } });
    try {
      await other.action('default-level');

      expect(own(await logOf('default-level', other))).toEqual([['error', '{"an":"object"}']]);
    } finally {
      await other.stop();
    }
  });
});
