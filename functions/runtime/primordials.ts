/**
 * Built-ins as they were before author code ran, with the names that Node uses for its own. Runtime and author share
 * one realm, and some libraries patch `JSON` or `Array.prototype` by accident, which must not change what the runtime
 * sends and returns. This only helps the function; security checks happen outside the isolate (`server/platform/sandbox`). Code
 * that uses these built-ins walks lists by index, because iterators and spread call methods that may be patched.
 */
export const { parse: JSONParse, stringify: JSONStringify } = JSON;
export const {
  assign: ObjectAssign,
  create: ObjectCreate,
  defineProperty: ObjectDefineProperty,
  entries: ObjectEntries,
  fromEntries: ObjectFromEntries,
  hasOwn: ObjectHasOwn,
  keys: ObjectKeys,
} = Object;
export const {
  apply: ReflectApply,
  deleteProperty: ReflectDeleteProperty,
  get: ReflectGet,
  has: ReflectHas,
  set: ReflectSet,
} = Reflect;
export const { isArray: ArrayIsArray } = Array;
export const { isFinite: NumberIsFinite, isNaN: NumberIsNaN } = Number;
export const { isView: ArrayBufferIsView } = ArrayBuffer;
export const { max: MathMax, min: MathMin } = Math;
export const DateNow = Date.now;
const [ErrorCtor, NumberCtor, PromiseCtor, SetCtor, StringCtor] = [Error, Number, Promise, Set, String];
const [ArrayBufferCtor, DateCtor, MapCtor, RegExpCtor, Uint8ArrayCtor] = [ArrayBuffer, Date, Map, RegExp, Uint8Array];
export const { asIntN: BigIntAsIntN } = BigInt;

export {
  ArrayBufferCtor as PrimordialArrayBuffer,
  DateCtor as PrimordialDate,
  ErrorCtor as PrimordialError,
  MapCtor as PrimordialMap,
  PromiseCtor as PrimordialPromise,
  RegExpCtor as PrimordialRegExp,
  SetCtor as PrimordialSet,
  StringCtor as PrimordialString,
  Uint8ArrayCtor as PrimordialUint8Array,
};
/** Calls `use` for each own member, without an iterator. */
export function forEachEntry<T>(members: Record<string, T>, use: (name: string, value: T) => void): void {
  const entries = ObjectEntries(members);
  for (let index = 0; index < entries.length; index++) {
    const { 0: name, 1: value } = entries[index] as [string, T];
    use(name, value);
  }
}
export const toNumber = (value: unknown): number => NumberCtor(value);
export const toText = (value: unknown): string => StringCtor(value);

type Uncurry = <A extends unknown[], R>(method: (...args: A) => R) => (self: unknown, ...args: A) => R;

/** `method.call`, bound to the method, so that a call looks up no property. */
const { bind, call } = Function.prototype;
const uncurry: Uncurry = (method) => bind.call(call, method);

const hasInstance = uncurry(Function.prototype[Symbol.hasInstance]);
/** `instanceof`, without the class's own `Symbol.hasInstance`. */
export const isInstance = <T>(value: unknown, ofClass: abstract new (...args: never[]) => T): value is T =>
  hasInstance(ofClass, value);

export const BigIntPrototypeToString = uncurry(BigInt.prototype.toString);
export const ArrayPrototypeJoin = uncurry(Array.prototype.join);
export const ArrayPrototypePush = uncurry(Array.prototype.push);
export const ArrayPrototypeSlice = uncurry(Array.prototype.slice) as <T>(
  list: readonly T[],
  from?: number,
  to?: number,
) => T[];
export const ArrayPrototypeSort = uncurry(Array.prototype.sort) as <T>(
  list: T[],
  compare: (a: T, b: T) => number,
) => T[];
export const DatePrototypeGetTime = uncurry(Date.prototype.getTime);
export const DatePrototypeToISOString = uncurry(Date.prototype.toISOString);
export const MapPrototypeForEach = uncurry(Map.prototype.forEach);
export const PromisePrototypeThen = uncurry(Promise.prototype.then);
export const RegExpPrototypeTest = uncurry(RegExp.prototype.test);
export const SetPrototypeAdd = uncurry(Set.prototype.add);
export const SetPrototypeForEach = uncurry(Set.prototype.forEach);
export const SetPrototypeHas = uncurry(Set.prototype.has);
export const StringPrototypeIncludes = uncurry(String.prototype.includes);
export const StringPrototypeReplaceAll = uncurry(String.prototype.replaceAll as (search: string, by: string) => string);
export const StringPrototypeSlice = uncurry(String.prototype.slice);
export const StringPrototypeSplit = uncurry(String.prototype.split as (by: string) => string[]);
export const StringPrototypeToWellFormed = uncurry(String.prototype.toWellFormed);
