/** A tag as a person types it: "plan: pro" or "plan=pro". */
export function readTag(text: string): { name: string; value: string } | undefined {
  const at = text.search(/[:=]/);
  const name = text.slice(0, Math.max(at, 0)).trim();
  const value = text.slice(at + 1).trim();
  return name === '' || value === '' ? undefined : { name, value };
}
