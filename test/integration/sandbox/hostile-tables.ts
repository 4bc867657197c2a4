/**
 * Built-ins that the runtime and zod use, with or without a name, while they read a definition. A hostile module
 * replaces one of them by a function that changes what it returns when that belongs to the victim.
 */
const BUILT_INS = [
  'JSON.stringify',
  'JSON.parse',
  'Object.entries',
  'Object.fromEntries',
  'Object.keys',
  'Object.values',
  'Object.assign',
  'Object.create',
  'Object.defineProperty',
  'Object.getOwnPropertyDescriptor',
  'Object.getPrototypeOf',
  'Object.freeze',
  'Reflect.ownKeys',
  'Array.from',
  'Array.isArray',
  'Array.prototype.concat',
  'Array.prototype.filter',
  'Array.prototype.find',
  'Array.prototype.flatMap',
  'Array.prototype.forEach',
  'Array.prototype.includes',
  'Array.prototype.join',
  'Array.prototype.map',
  'Array.prototype.push',
  'Array.prototype.reduce',
  'Array.prototype.slice',
  'Array.prototype.some',
  'Array.prototype[Symbol.iterator]',
  'Map.prototype.get',
  'Map.prototype.has',
  'Map.prototype.set',
  'Map.prototype.entries',
  'Set.prototype.has',
  'Set.prototype.add',
  'WeakMap.prototype.get',
  'WeakMap.prototype.set',
  'Function.prototype.call',
  'Function.prototype.bind',
  'String.prototype.replace',
  'String.prototype.slice',
  'zod.object',
  'zod.string',
  'zod.toJSONSchema',
  'zod.globalRegistry.get',
  'zod.globalRegistry.add',
  'Object.getPrototypeOf(zod.globalRegistry).get',
  'zod.core.$ZodRegistry.prototype.get',
  'zod.ZodType.prototype.optional',
];

/** Begins a hostile module. Changes entries, objects and texts of the victim; everything else is returned as it is. */
export const HOSTILE_START = `
  const { apply } = Reflect, { isArray } = Array, { hasOwn } = Object, { includes, replace } = String.prototype;
  const alter = (out) => {
    try {
      if (typeof out === 'string' && apply(includes, out, ['"victim"']))
        return apply(replace, out, ['"every hour"', '"every minute","trackDeletes":true']);
      if (isArray(out)) {
        for (let n = 0; n < out.length; n++)
          if (isArray(out[n]) && out[n][1] === 'victim') out[out.length] = ['trackDeletes', true];
      } else if (out && typeof out === 'object') {
        if (out.description === 'victim') { out.frequency = 'every minute'; out.trackDeletes = true; }
        if (hasOwn(out, 'secretModel')) delete out.secretModel;
        if (out.type === 'object' && out.properties) out.additionalProperties = true;
      }
    } catch {}
    return out;
  };`;

const REPLACED = BUILT_INS.map((name) => {
  const code = `const original = ${name};
    ${name} = function (...args) { return alter(apply(original, this, args)); };`;
  return [name, code] as const;
});
/** Inherited members and accessors, which the definition of another module would show. */
const INHERITED: Array<readonly [string, string]> = [
  ['an inherited trackDeletes', `Object.prototype.trackDeletes = true;`],
  ['an inherited onWebhook', `Object.prototype.onWebhook = () => {};`],
  ['an inherited input', `Object.prototype.metadata = zod.object({ forged: zod.string() });`],
  ['an inherited toJSON', `Object.prototype.toJSON = function () { return alter({ ...this }); };`],
  [
    'a setter for frequency',
    `Object.defineProperty(Object.prototype, 'frequency', { get: () => 'every minute', set() {}, enumerable: true });`,
  ],
  ['entries of every list', `Array.prototype.trackDeletes = ['trackDeletes', true];`],
  ['a changed module', `Object.defineProperty(zod, 'object', { value: () => zod.string() });`],
  [
    'forged definitions of zod',
    `const { init } = zod.core.$ZodObject; zod.core.$ZodObject.init = (one, def) => init(one, { ...def, shape: {} });`,
  ],
  ['a schema registered for all', `zod.globalRegistry.add = () => { throw new Error('no'); };`],
  ['other words of zod', `zod.config({ jitless: false, customError: () => 'changed' });`],
  ['all replaced at once', REPLACED.map(([, code]) => `try { ${code} } catch {}`).join('\n')],
];

/** What hostile modules do, by name: code that runs after `HOSTILE_START`, with `zod`. */
export const HOSTILE_DEFINITIONS = [...REPLACED, ...INHERITED];

/** Sixty objects, of which a walk as a tree would visit 2^60. */
export const GRAPH = `(() => { let graph = { leaf: 1 }; for (let n = 0; n < 60; n++) graph = { l: graph, r: graph }; return graph; })()`;
export const DEEP = `(() => { let deep = []; for (let n = 0; n < 20000; n++) deep = [deep]; return deep; })()`;
export const CYCLE = `(() => { const cycle = { list: [] }; cycle.list.push(cycle, cycle); return cycle; })()`;
/** Code of values that are hard to count, to copy or to read. */
export const HOSTILE_VALUES = {
  graph: GRAPH,
  'graph of lists': `(() => { let graph = ['x']; for (let n = 0; n < 60; n++) graph = [graph, graph]; return graph; })()`,
  'list of one graph': `Array(900).fill(${GRAPH})`,
  'graph in a map': `new Map([[1, ${GRAPH}], [2, ${GRAPH}]])`,
  'graph in a set': `new Set([${GRAPH}])`,
  'graph in an error': `Object.assign(new Error('x', { cause: ${GRAPH} }), { more: ${GRAPH} })`,
  cycle: CYCLE,
  deep: DEEP,
  'deep objects': `(() => { let deep = {}; for (let n = 0; n < 20000; n++) deep = { deep }; return deep; })()`,
  'many members': `Object.fromEntries(Array.from({ length: 100000 }, (_, n) => ['k' + n, n]))`,
  'many numbered members': `Object.fromEntries(Array.from({ length: 100000 }, (_, n) => [n, n]))`,
  'long list': `Array(1100000).fill('x')`,
  'list of many objects': `Array.from({ length: 100000 }, () => ({}))`,
  'sparse list': `Object.assign([], { 4294967290: 1 })`,
  'list with a name': `Object.assign(['x'], { name: 'x'.repeat(20000000) })`,
  'text as an object': `new String('x'.repeat(5000000))`,
  'large number': `1n << 8000000n`,
  'part of a buffer': `new Uint8Array(new ArrayBuffer(20000000), 0, 1)`,
  getters: `(() => { const make = () => ({ get a() { return make(); }, get b() { return make(); } }); return make(); })()`,
  'getter of a graph': `({ get a() { return ${GRAPH}; }, get b() { return ${GRAPH}; } })`,
  'getter that throws': `({ get a() { throw ${GRAPH}; } })`,
  'endless getter': `({ get a() { for (;;); } })`,
  proxy: `new Proxy({}, {})`,
  'proxy that lies': `new Proxy([], { get: (target, key) => (key === 'length' ? 1e9 : 'x'), ownKeys: () => ['length'] })`,
  'inherited members': `Object.create(${GRAPH})`,
};
