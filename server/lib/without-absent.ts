type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out members that are undefined: what was not sent must not overwrite what is there. */
export function withoutAbsent<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
