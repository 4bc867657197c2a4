/** The parameters with the changes applied; an empty value, or `all`, removes the parameter. */
export function withParams(current: URLSearchParams, changes: Record<string, string | undefined>): URLSearchParams {
  const next = new URLSearchParams(current);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '' || value === 'all') next.delete(name);
    else next.set(name, value);
  }
  return next;
}

export const splitList = (text: string | undefined): string[] => (text ? text.split(',').filter(Boolean) : []);
