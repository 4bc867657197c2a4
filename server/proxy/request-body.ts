import { METHODS_WITH_BODY } from '../contract/proxy-methods.ts';
import { isMap, mergeDeep, type RawEntry } from '../integrations/catalog/merge-entries.ts';
import { resolveTemplate, type TemplateContext } from '../integrations/catalog/template/resolve-template.ts';
import { parseExactJson } from '../platform/lib/exact-json.ts';
import type { MultipartPart, ProxyBody } from './proxy-types.ts';
import type { PlannedMember } from './request-plan.ts';

export interface EncodedBody {
  content: string | Uint8Array | undefined;
  /** The content type, unless the caller or the entry names another one. */
  contentType: string | undefined;
  /** The type contains the boundary of the encoded form, and replaces the caller's type. */
  isTypeFixed: boolean;
  /** Present when the entry added credentials to the body: the body to send to another host instead. */
  withoutSecrets?: { content: string | Uint8Array | undefined };
}

interface Member {
  path: string[];
  text: string;
  isSecret: boolean;
}

const NO_BODY: EncodedBody = { content: undefined, contentType: undefined, isTypeFixed: false };

interface BodyInput {
  method: string;
  body: ProxyBody | undefined;
  planned: PlannedMember[];
  context: TemplateContext;
  callerType: string | undefined;
  boundary: string;
}

/** Encodes the body, with the members of the entry merged over those of the caller (providers.md 3 and 5.4). */
export function buildBody(input: BodyInput): EncodedBody {
  if (!METHODS_WITH_BODY.has(input.method)) return NO_BODY;
  const additions = input.planned.flatMap((member) => resolveMember(member, input.context));
  const whole = encodeWith(additions, input);
  if (!additions.some((member) => member.isSecret)) return whole;
  const publicAdditions = additions.filter((member) => !member.isSecret);
  return { ...whole, withoutSecrets: { content: encodeWith(publicAdditions, input).content } };
}

function encodeWith(additions: Member[], input: BodyInput): EncodedBody {
  const body = additions.length > 0 ? addMembers(input.body, additions, input.callerType) : input.body;
  return body ? encode(body, input) : NO_BODY;
}

function encode(body: ProxyBody, input: BodyInput): EncodedBody {
  switch (body.kind) {
    case 'json':
      return { content: body.text, contentType: 'application/json', isTypeFixed: false };
    case 'form':
    case 'text':
      return { content: body.text, contentType: 'application/x-www-form-urlencoded', isTypeFixed: false };
    case 'bytes': {
      const isForm = body.contentType?.startsWith('multipart/form-data;') ?? false;
      const isBare = input.callerType === undefined || input.callerType.trim() === 'multipart/form-data';
      return {
        content: body.bytes,
        contentType: body.contentType ?? 'application/octet-stream',
        isTypeFixed: isForm && isBare,
      };
    }
    case 'multipart':
      return { ...encodeMultipart(body.parts, input.boundary), isTypeFixed: true };
  }
}

/** A member without a value is left out, and so is an object that becomes empty. */
function resolveMember({ path, template, isSecret }: PlannedMember, context: TemplateContext): Member[] {
  const { text, missing } = resolveTemplate(template, context);
  return missing.length === 0 ? [{ path, text, isSecret }] : [];
}

function addMembers(body: ProxyBody | undefined, members: Member[], callerType: string | undefined): ProxyBody {
  if (!body) return { kind: 'json', text: JSON.stringify(toObject(members)) };
  if (body.kind === 'multipart')
    return {
      kind: 'multipart',
      parts: [...body.parts, ...members.map(toFormPair).map(([name, text]) => ({ name, text }))],
    };
  const type = callerType ?? (body.kind === 'bytes' ? body.contentType : undefined) ?? '';
  const text = body.kind === 'bytes' ? Buffer.from(body.bytes).toString() : body.text;
  if (body.kind === 'form' || type.startsWith('application/x-www-form-urlencoded')) {
    const form = new URLSearchParams(text);
    for (const [name, value] of members.map(toFormPair)) form.set(name, value);
    return { kind: 'form', text: form.toString() };
  }
  const parsed = parseObject(text);
  return parsed ? { kind: 'json', text: JSON.stringify(mergeDeep(parsed, toObject(members))) } : body;
}

function toFormPair({ path: [first = '', ...rest], text }: Member): [string, string] {
  return [first + rest.map((name) => `[${name}]`).join(''), text];
}

function toObject(members: Member[]): RawEntry {
  const nest = (path: string[], text: string): RawEntry => {
    const [name = '', ...rest] = path;
    return { [name]: rest.length === 0 ? text : nest(rest, text) };
  };
  return members.reduce<RawEntry>((object, { path, text }) => mergeDeep(object, nest(path, text)), {});
}

/** Members can be added only to a JSON object; other bodies are sent as the caller wrote them. */
function parseObject(text: string): RawEntry | undefined {
  try {
    const value: unknown = text === '' ? {} : parseExactJson(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined; // Not JSON.
  }
}

/** Encodes `multipart/form-data` (RFC 7578) with names escaped as browsers do. */
function encodeMultipart(parts: MultipartPart[], boundary: string): { content: Uint8Array; contentType: string } {
  const chunks = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${describePart(part)}\r\n\r\n`),
    part.bytes ?? Buffer.from(part.text ?? ''),
    Buffer.from('\r\n'),
  ]);
  return {
    content: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

function describePart(part: MultipartPart): string {
  const isFile = part.bytes !== undefined || part.filename !== undefined;
  const filename = isFile ? `; filename="${escapeName(part.filename ?? 'blob')}"` : '';
  const type = part.contentType ?? (isFile ? 'application/octet-stream' : undefined);
  const typeLine = type === undefined ? '' : `\r\nContent-Type: ${type.replace(/[\r\n]/g, ' ')}`;
  return `Content-Disposition: form-data; name="${escapeName(part.name)}"${filename}${typeLine}`;
}

function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
