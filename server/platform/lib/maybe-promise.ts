/** A value that is there at once when it is in memory. Waiting for it costs every call of a busy route. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with a value, at once when it is there. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
