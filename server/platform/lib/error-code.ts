/** The code of an error of the system or of a library, such as `ENOENT`; undefined when it has none. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Whether an error of the system or of a library has one of these codes. */
export function hasErrorCode(error: unknown, ...codes: string[]): boolean {
  const code = errorCodeOf(error);
  return code !== undefined && codes.includes(code);
}
