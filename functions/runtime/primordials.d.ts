/**
 * Built-ins as they were before author code ran, under the names that Node gives its own. Runtime and author share one
 * realm, and libraries patch `JSON` or `Array.prototype` by accident: what the runtime sends and answers shall not hang
 * on that. This is a courtesy to the function; the border is checked outside the isolate (`server/sandbox`).
 *
 * Lists are walked by index in the code that uses these: iterators and spread look up methods that may be patched.
 */
export declare const JSONParse: (text: string, reviver?: (this: any, key: string, value: any) => any) => any, JSONStringify: {
    (value: any, replacer?: (this: any, key: string, value: any) => any, space?: string | number): string;
    (value: any, replacer?: (number | string)[] | null, space?: string | number): string;
};
export declare const ObjectAssign: {
    <T extends {}, U>(target: T, source: U): T & U;
    <T extends {}, U, V>(target: T, source1: U, source2: V): T & U & V;
    <T extends {}, U, V, W>(target: T, source1: U, source2: V, source3: W): T & U & V & W;
    (target: object, ...sources: any[]): any;
}, ObjectCreate: {
    (o: object | null): any;
    (o: object | null, properties: PropertyDescriptorMap & ThisType<any>): any;
}, ObjectDefineProperty: <T>(o: T, p: PropertyKey, attributes: PropertyDescriptor & ThisType<any>) => T, ObjectEntries: {
    <T>(o: {
        [s: string]: T;
    } | ArrayLike<T>): [string, T][];
    (o: {}): [string, any][];
}, ObjectFromEntries: {
    <T = any>(entries: Iterable<readonly [PropertyKey, T]>): {
        [k: string]: T;
    };
    (entries: Iterable<readonly any[]>): any;
}, ObjectHasOwn: (o: object, v: PropertyKey) => boolean;
export declare const ReflectDeleteProperty: typeof Reflect.deleteProperty, ReflectGet: typeof Reflect.get, ReflectHas: typeof Reflect.has, ReflectSet: typeof Reflect.set;
export declare const ArrayIsArray: (arg: any) => arg is any[];
export declare const NumberIsFinite: (number: unknown) => boolean, NumberIsNaN: (number: unknown) => boolean;
export declare const ArrayBufferIsView: (arg: any) => arg is ArrayBufferView;
export declare const MathMax: (...values: number[]) => number, MathMin: (...values: number[]) => number;
export declare const DateNow: () => number;
declare const ErrorCtor: ErrorConstructor, PromiseCtor: PromiseConstructor, SetCtor: SetConstructor;
export { ErrorCtor as PrimordialError, PromiseCtor as PrimordialPromise, SetCtor as PrimordialSet };
export declare const toNumber: (value: unknown) => number;
export declare const toText: (value: unknown) => string;
export declare const ArrayPrototypeJoin: (self: unknown, separator?: string | undefined) => string;
export declare const ArrayPrototypePush: (self: unknown, ...args: any[]) => number;
export declare const ArrayPrototypeSlice: <T>(list: readonly T[], from?: number, to?: number) => T[];
export declare const ArrayPrototypeSort: <T>(list: T[], compare: (a: T, b: T) => number) => T[];
export declare const DatePrototypeGetTime: (self: unknown) => number;
export declare const DatePrototypeToISOString: (self: unknown) => string;
export declare const MapPrototypeForEach: (self: unknown, callbackfn: (value: any, key: any, map: Map<any, any>) => void, thisArg?: any) => void;
export declare const PromisePrototypeThen: <TResult1 = any, TResult2 = never>(self: unknown, onfulfilled?: ((value: any) => TResult1 | PromiseLike<TResult1>) | null | undefined, onrejected?: ((reason: any) => TResult2 | PromiseLike<TResult2>) | null | undefined) => Promise<TResult1 | TResult2>;
export declare const RegExpPrototypeTest: (self: unknown, string: string) => boolean;
export declare const SetPrototypeAdd: (self: unknown, value: any) => Set<any>;
export declare const SetPrototypeForEach: (self: unknown, callbackfn: (value: any, value2: any, set: Set<any>) => void, thisArg?: any) => void;
export declare const SetPrototypeHas: (self: unknown, value: any) => boolean;
export declare const StringPrototypeIncludes: (self: unknown, searchString: string, position?: number | undefined) => boolean;
export declare const StringPrototypeReplaceAll: (self: unknown, search: string, by: string) => string;
export declare const StringPrototypeSlice: (self: unknown, start?: number | undefined, end?: number | undefined) => string;
export declare const StringPrototypeSplit: (self: unknown, by: string) => string[];
export declare const StringPrototypeToWellFormed: (self: unknown) => string;
