/** A value that is there at once when it is in memory. Waiting for it costs every call of a busy route. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with a value, at once when it is there. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Does work, and calls `onError` with what it throws or rejects with. */
export function orElse<Value>(
  work: () => MaybePromise<Value>,
  onError: (error: unknown) => MaybePromise<Value>,
): MaybePromise<Value> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(onError) : value;
  } catch (error) {
    return onError(error);
  }
}
