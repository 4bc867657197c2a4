/** The characters that the hub accepts in the key of an integration. */
export const INTEGRATION_KEY = /^[a-zA-Z0-9~:.@ _-]{1,255}$/;

/** `name`, or `name-2`, `name-3` and so on when the key is taken. */
export function uniqueKey(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let count = 2;
  while (taken.includes(`${name}-${count}`)) count += 1;
  return `${name}-${count}`;
}
