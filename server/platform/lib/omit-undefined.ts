type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out members that are undefined, so that a value that was not sent does not overwrite the stored one. */
export function omitUndefined<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
