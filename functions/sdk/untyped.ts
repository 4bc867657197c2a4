/**
 * A value whose shape only the provider knows: the body of an answer, the metadata of a connection.
 * Reading from it needs no cast, as in every function written for this API; parse it with zod to be safe.
 */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would make every untyped provider answer unreadable.
export type Untyped = any;

/** An object of untyped fields. */
export type UntypedObject = Record<string, Untyped>;
