/** Whether an HTTP status is one of 200 to 299. */
export function isSuccessStatus(status: number): boolean {
  return status >= 200 && status <= 299;
}
