import { isJsonObject } from '../../lib/json-object.ts';

/** Largest payload of an error on the wire (functions.md 6.4). */
const MOST_BYTES = 99_000;
const CUT_MARK = '… [truncated]';

type Payload = Record<string, unknown>;

/** A failure's payload as callers see it: an object, without what signs a request, of a size that fits a log. */
export function toPayload(value: unknown): Payload {
  return shrink(asObject(withoutAuthorization(value)));
}

/** Cuts a text that would make an answer too large. */
export function cutText(text: string, mostBytes = MOST_BYTES): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  const room = Math.max(0, mostBytes - Buffer.byteLength(CUT_MARK));
  // A character cut in two decodes to a replacement character, which is dropped.
  return (
    Buffer.from(text)
      .subarray(0, room)
      .toString()
      .replace(/\ufffd$/, '') + CUT_MARK
  );
}

/** The largest members go first: texts are cut if that is enough, everything else is left out. */
function shrink(payload: Payload): Payload {
  const members = Object.entries(payload).map(([name, member]) => ({
    name,
    member,
    bytes: bytesOf({ [name]: member }),
  }));
  let over = bytesOf(payload) - MOST_BYTES;
  const kept = { ...payload };
  for (const { name, member, bytes } of members.sort((a, b) => b.bytes - a.bytes)) {
    if (over <= 0) break;
    delete kept[name];
    const cut = typeof member === 'string' ? { [name]: cutText(member, bytes - over - bytesOf({ [name]: '' })) } : {};
    const isEnough = name in cut && bytesOf(cut) <= bytes - over;
    if (isEnough) Object.assign(kept, cut);
    over -= isEnough ? over : bytes;
  }
  return kept;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Functions throw request configurations and headers whole: what signs a request stays inside. */
function withoutAuthorization(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAuthorization);
  if (!isJsonObject(value)) return value;
  const redacted = Object.entries(value).map(([key, member]) => [
    key,
    key.toLowerCase() === 'authorization' ? '[Redacted]' : withoutAuthorization(member),
  ]);
  return Object.fromEntries(redacted);
}

/** Payloads are objects on the wire; anything else is wrapped. */
function asObject(value: unknown): Payload {
  if (value === undefined) return {};
  return isJsonObject(value) ? value : { message: value };
}
