export interface ShownRefusal {
  method: string;
  path: string;
  /** Null when no response arrived. */
  code: number | null;
  times: number;
}

/** "Xero answered 429 to GET /v2/invoices, 3 times in a row"; `name`: the integration as it is shown. */
export function refusalWords({ method, path, code, times }: ShownRefusal, name: string): string {
  const what =
    code === null ? `${name} did not answer ${method} ${path}` : `${name} answered ${code} to ${method} ${path}`;
  return times > 1 ? `${what}, ${times} times in a row` : what;
}

/** Why something failed: the refusal in words, else the first line of the error. */
export function failureWords(
  failure: { error: string | null; refusal: ShownRefusal | null },
  name: string,
): string | undefined {
  return failure.refusal ? refusalWords(failure.refusal, name) : (failure.error ?? undefined);
}
