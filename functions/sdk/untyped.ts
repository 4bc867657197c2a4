/**
 * A value whose shape only the provider knows: the body of a response, the metadata of a connection. It can be read
 * without a cast, as in every function for this API. Parse it with zod to be safe.
 */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would make every untyped provider response unreadable.
export type Untyped = any;

/** An object of untyped fields. */
export type UntypedObject = Record<string, Untyped>;
