import type { MultipartPart } from './proxy-types.ts';

/** Encodes `multipart/form-data` (RFC 7578) with names escaped as browsers do. */
export function encodeMultipart(
  parts: MultipartPart[],
  boundary: string,
): { content: Uint8Array; contentType: string } {
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
