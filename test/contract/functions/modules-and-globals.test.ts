import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { actionSource } from '../../support/server-workspace.ts';

function withImports(imports: string, body: string): string {
  return `${imports}\n${actionSource(body)}`;
}

const HASHES = `return {
      hash: createHash('sha256').update('a').update(Buffer.from('b')).digest('hex'),
      hmac: createHmac('sha1', 'key').update('text').digest('base64'),
      uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(randomUUID()),
    };`;

const FILES = {
  'actions/bare-crypto.ts': withImports(`import { createHash, createHmac, randomUUID } from 'crypto';`, HASHES),
  'actions/node-crypto.ts': withImports(`import { createHash, createHmac, randomUUID } from 'node:crypto';`, HASHES),
  'actions/default-crypto.ts': withImports(
    `import crypto from 'crypto';`,
    HASHES.replace(/create|randomUUID/g, 'crypto.$&'),
  ),
  'actions/urls.ts': withImports(
    `import { URL as NodeUrl, URLSearchParams as Params } from 'node:url';\nimport * as url from 'url';`,
    `const made = new NodeUrl('/a?x=1#h', 'https://acme.test');
    made.searchParams.append('y', 'ä b');
    return { href: made.href, same: new URL(made.href).pathname, more: new Params({ a: '1' }).toString(), has: typeof url.URL };`,
  ),
  'actions/relative.ts': withImports(`import { shout } from '../helpers/shout.js';`, `return shout('hi');`),
  'helpers/shout.ts': `export const shout = (text: string): string => \`\${text.toUpperCase()}!\`;\n`,
  'actions/globals.ts': actionSource(`
    await new Promise((resolve) => setTimeout(resolve, 5));
    let canEval = true;
    try { new Function('return 1')(); } catch { canEval = false; }
    return {
      buffer: Buffer.from('aGk=', 'base64').toString(), alloc: Buffer.alloc(2).length, isBuffer: Buffer.isBuffer(new Uint8Array(1)),
      text: new TextDecoder().decode(new TextEncoder().encode('ä')), base64: btoa('hi') + atob('aGk='),
      clone: structuredClone({ a: new Date(0) }).a instanceof Date, intl: new Intl.NumberFormat('en').format(1234.5),
      console: console.log('x') === undefined, vitest: globalThis.vitest === undefined,
      absent: [typeof process, typeof fetch, typeof performance, typeof WebAssembly].join(), canEval,
      params: [...new URLSearchParams('a=1&a=2').getAll('a')], big: String(2n ** 64n),
    };`),
  'actions/names.ts': actionSource(`
    return Object.fromEntries(input.map((name) => [name, typeof globalThis[name]]));`),
  'actions/changes.ts': actionSource(`
    const made = [];
    for (const run of [() => eval('1'), () => setTimeout('1'), () => (async () => {}).constructor('1'), () => (function* () {}).constructor('1')]) {
      try { await run(); made.push('ran'); } catch (error) { made.push(error.name); }
    }
    const cleared = setTimeout(() => made.push('cleared'), 1);
    clearTimeout(cleared);
    await new Promise((resolve) => setTimeout(resolve, 10));
    queueMicrotask(() => made.push('micro'));
    await null;
    return { made, json: JSON.stringify({ at: new Date(0), none: undefined }), error: new TypeError('x') instanceof Error };`),
  'actions/strict.ts': actionSource(`
    try { Object.freeze(input).a = 2; } catch (error) { return [error.name, typeof (function () { return this; })()]; }
    return 'written';`),
  'actions/vendor-types.ts': withImports(
    `import type { ProxyConfiguration } from 'nango';`,
    `const config: ProxyConfiguration = { endpoint: '/x', retries: 0 }; return config;`,
  ).replace(`'homeport'`, `'nango'`),
};

let hub: FunctionHub;

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
});
afterAll(() => hub?.stop());

describe('modules a function may import', () => {
  it.each(['bare-crypto', 'node-crypto', 'default-crypto'])('%s hashes as Node does', async (name) => {
    expect((await hub.action(name)).body).toEqual({
      hash: createHash('sha256').update('ab').digest('hex'),
      hmac: createHmac('sha1', 'key').update('text').digest('base64'),
      uuid: true,
    });
  });

  it('url and node:url give the classes that are global too', async () => {
    expect((await hub.action('urls')).body).toEqual({
      href: 'https://acme.test/a?x=1&y=%C3%A4+b#h',
      same: '/a',
      more: 'a=1',
      has: 'function',
    });
  });

  it('relative files are bundled, with their extension or the one they get', async () => {
    expect((await hub.action('relative')).body).toBe('HI!');
  });

  it('nango is another name of homeport', async () => {
    expect((await hub.action('vendor-types')).body).toEqual({ endpoint: '/x', retries: 0 });
  });
});

/** functions.md 3.1. */
const PRESENT = {
  object: ['Intl', 'JSON', 'Math', 'Reflect', 'console', 'globalThis'],
  function: [
    ...[
      'Promise',
      'Proxy',
      'Map',
      'Set',
      'WeakMap',
      'WeakSet',
      'WeakRef',
      'Symbol',
      'BigInt',
      'Date',
      'RegExp',
      'Error',
    ],
    ...['Array', 'ArrayBuffer', 'DataView', 'Uint8Array', 'Float64Array', 'BigInt64Array', 'AggregateError'],
    ...['encodeURIComponent', 'decodeURIComponent', 'encodeURI', 'parseInt', 'parseFloat', 'isNaN', 'isFinite'],
    ...['Buffer', 'URL', 'URLSearchParams', 'setTimeout', 'clearTimeout', 'queueMicrotask', 'structuredClone'],
    ...['TextEncoder', 'TextDecoder', 'atob', 'btoa'],
  ],
};
const ABSENT = [
  ...['process', 'global', 'fetch', 'Headers', 'Request', 'Response', 'AbortController', 'AbortSignal', 'crypto'],
  ...['setInterval', 'clearInterval', 'setImmediate', 'performance', 'Blob', 'FormData', 'WebAssembly'],
  ...['SharedArrayBuffer', 'Atomics', 'WebSocket', 'Worker', 'EventTarget', 'navigator', 'vitest', 'require'],
];

describe('the modules and globals of a function', () => {
  it('are those that the contract lists, and none that it excludes', async () => {
    const wanted = Object.fromEntries([
      ...Object.entries(PRESENT).flatMap(([type, names]) => names.map((name) => [name, type])),
      ...ABSENT.map((name) => [name, 'undefined']),
    ]);

    expect((await hub.action('names', Object.keys(wanted))).body).toEqual(wanted);
  });

  it('makes no code from text, and has timers that can be stopped', async () => {
    expect((await hub.action('changes')).body).toEqual({
      made: ['EvalError', 'TypeError', 'EvalError', 'EvalError', 'micro'],
      json: '{"at":"1970-01-01T00:00:00.000Z"}',
      error: true,
    });
  });

  it('runs strictly, as every module does', async () => {
    expect((await hub.action('strict', { a: 1 })).body).toEqual(['TypeError', 'undefined']);
  });

  it('is the language, Buffer, URL, timers and text coding, and no Node', async () => {
    const { body } = await hub.action('globals');

    expect(body).toEqual({
      buffer: 'hi',
      alloc: 2,
      isBuffer: false,
      text: 'ä',
      base64: 'aGk=hi',
      clone: true,
      intl: '1,234.5',
      console: true,
      vitest: true,
      absent: 'undefined,undefined,undefined,undefined',
      canEval: false,
      params: ['1', '2'],
      big: '18446744073709551616',
    });
  });
});
