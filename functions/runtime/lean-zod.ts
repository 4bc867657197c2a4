import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * Every run gets a new context with zod in it, so the objects that zod's modules create when loaded are created again
 * for each run. These two plugins save almost half of that without changing what zod does. Both throw when a new
 * version of zod or esbuild no longer has the expected code; then compare the functions below with it.
 */

/**
 * zod's constructors (180 of them) create their helper classes only at first use, and zod has one object `z` instead of
 * two.
 */
export const leanZod: Plugin = {
  name: 'lean-zod',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]core\.js$/ }, async ({ path }) => ({
      contents: makeConstructorsLazy(await readFile(path, 'utf8')),
    }));
    builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]classic[\\/]from-json-schema\.js$/ }, async ({ path }) => ({
      contents: replaceOnce(
        await readFile(path, 'utf8'),
        /const z = \{\s*\.\.\._schemas,\s*\.\.\._checks,\s*iso: _iso,\s*\};/,
        'import * as z from "./external.js";',
      ),
    }));
  },
};

const IN_CONSTRUCTOR: Array<[from: string | RegExp, to: string]> = [
  [/ {4}const zodProto = \{\};[\s\S]*?Internals\.prototype = zodProto;/, '    let Internals;'],
  ['new Internals(def)', 'new (Internals ??= makeInternals(_))(def)'],
  ['const initialized = protoMembers && new WeakSet();', 'let initialized;'],
  ['if (initialized) {', 'if (protoMembers) {\n            initialized ??= new WeakSet();'],
  [
    /const Parent = params\?\.Parent \?\? Object;\s*class Definition extends Parent \{\s*\}\s*Object\.defineProperty\(Definition, "name", \{ value: name \}\);/,
    'let Definition;',
  ],
  ['newError(Definition)', 'newError((Definition ??= makeDefinition(name, params.Parent)))'],
  // A computed name costs nothing, while `defineProperty` would make each function a slow dictionary object.
  ['function _(def) {', 'const _ = { [name]: function (def) {'],
  [/return inst;\n {4}\}\n( {4}Object\.defineProperty\(_, "init")/, 'return inst;\n    } }[name];\n$1'],
  ['Object.defineProperty(_, "name", { value: name });', ''],
];

const HELPERS = `
function makeInternals(constr) {
  function Internals(def) { this.def = def; this.constr = constr; this.traits = new Set(); }
  Internals.prototype = {};
  return Internals;
}
function makeDefinition(name, Parent) {
  const Definition = class extends Parent {};
  Object.defineProperty(Definition, "name", { value: name });
  return Definition;
}
`;

function makeConstructorsLazy(source: string): string {
  const start = source.indexOf('function $constructor(');
  const head = source.slice(0, start);
  const body = IN_CONSTRUCTOR.reduce((text, [from, to]) => replaceOnce(text, from, to), source.slice(start));
  return `${head}${body}${HELPERS}`;
}

/**
 * Replaces namespace objects (`z`, `z.core`, …) by plain values without a prototype, like those of real modules;
 * esbuild would create one getter for each of two thousand exports. A namespace that only another one refers to
 * (`z.core`, `z.util`) is created when it is read.
 */
export function settleNamespaces(code: string): string {
  const named = replaceOnce(
    code,
    '__export=(target,all)=>{for(var name in all)__defProp(target,name,{get:all[name],enumerable:!0})}',
    '__namespaces=new Map,__later=(target,all)=>__namespaces.set(target,all),__export=(target,all)=>{__later(target,' +
      '()=>all);for(var name in all)__defProp(target,name,{get:all[name],enumerable:!0,configurable:!0})}',
  ).replace(/(\w+)=\{\};__export\(\1,/g, '$1={__proto__:null};__export($1,');
  const names = [...named.matchAll(/(\w+)=\{__proto__:null\};__export\(\1,/g)].flatMap(([, name]) => name ?? []);
  const late = names.filter((name) => isOnlyMember(named, name));
  const lean = late.reduce(
    (text, name) => replaceOnce(text, new RegExp(`__export\\(${name},(\\{[^{}]*\\})\\)`), `__later(${name},()=>($1))`),
    named,
  );
  const end = lean.lastIndexOf('})();');
  const settle =
    `;const __late=new Set([${late}]),__settle=(target)=>{const all=__namespaces.get(target);` +
    'if(all){__namespaces.delete(target);for(const [name,read] of Object.entries(all())){const value=read(),' +
    'as=__late.has(value)?{get:()=>__settle(value)}:{value,writable:!1};' +
    '__defProp(target,name,{...as,enumerable:!0,configurable:!1})}}return target};' +
    'for(const target of[...__namespaces.keys()])if(!__late.has(target))__settle(target);';
  return lean.slice(0, end) + settle + lean.slice(end);
}

/** Apart from its definition, the name occurs only as a member of another namespace. */
function isOnlyMember(code: string, name: string): boolean {
  const all = code.match(new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g'))?.length ?? 0;
  const asMember = code.match(new RegExp(`:\\(\\)=>${name}(?![\\w$])`, 'g'))?.length ?? 0;
  return asMember > 0 && all === asMember + 2;
}

function replaceOnce(text: string, from: string | RegExp, to: string): string {
  const count = from instanceof RegExp ? [...text.matchAll(new RegExp(from, 'g'))].length : text.split(from).length - 1;
  if (count !== 1)
    throw new Error(`The guest runtime expects "${from}" once in its libraries and finds it ${count} times.`);
  return text.replace(from, to);
}
