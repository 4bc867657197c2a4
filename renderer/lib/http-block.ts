/** A text that is not a request; the message names its line. */
export class RequestTextError extends Error {}

export interface HttpBlock {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Reads an `http` block: a request line, headers, and after an empty line the body. */
export function readHttp(text: string): HttpBlock {
  const [head = '', ...rest] = text.trimEnd().split('\n\n');
  const [requestLine = '', ...headerLines] = head.split('\n');
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(requestLine) ?? [];
  if (method === undefined || path === undefined)
    throw new RequestTextError(`"${requestLine}" is not a request line such as GET /connections`);
  const headers = headerLines.map((line) => {
    const [, name = '', value = ''] = /^([\w-]+): (.+)$/.exec(line) ?? [];
    if (name === '') throw new RequestTextError(`"${line}" is not a header such as Connection-Id: me`);
    return [name, value] as const;
  });
  const body = rest.join('\n\n');
  return { method, path, headers: Object.fromEntries(headers), body: body === '' ? undefined : body };
}
