/** Whether it is an error of the operating system, such as a missing file or a full disk. Its `code` names it. */
export function isSystemError(error: unknown): error is Error & { code: unknown } {
  return error instanceof Error && 'code' in error;
}
